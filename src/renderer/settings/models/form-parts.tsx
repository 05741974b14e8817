import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Field, Select, TextArea, TextInput } from '../../ui/controls/field.tsx'

interface LineProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly value: string
  readonly problem: string | undefined
  readonly placeholder?: string | undefined
  readonly long?: boolean
  readonly code?: boolean
  readonly number?: boolean
  readonly onChange: (value: string) => void
}

/** A line of text with its label, and what is wrong with it. */
export function Line({ label, hint, value, problem, placeholder, long, code, number, onChange }: LineProps): ReactNode {
  const common = {
    value,
    placeholder,
    'aria-invalid': problem !== undefined,
    className: code ? 'font-mono text-xs' : undefined,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  }
  return (
    <Field label={label} hint={problem === undefined ? hint : <Problem text={problem} />}>
      {(id) =>
        long ? (
          <TextArea {...common} id={id} rows={3} />
        ) : (
          <TextInput {...common} id={id} inputMode={number ? 'decimal' : undefined} />
        )
      }
    </Field>
  )
}

/** What is wrong with a field. Read out when it appears. */
export function Problem({ text }: { text: string }): ReactNode {
  return (
    <span role="alert" className="flex items-start gap-1 text-bad">
      <CircleAlert size={13} aria-hidden className="mt-px shrink-0" />
      {text}
    </span>
  )
}

interface PickProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  readonly onChange: (value: Value) => void
}

/** One of a few words in a closed list. */
export function Pick<Value extends string>({ label, value, options, onChange }: PickProps<Value>): ReactNode {
  return (
    <Field label={label}>
      {(id) => (
        <Select
          id={id}
          value={value}
          onChange={({ target }) => {
            const chosen = options.find(([one]) => one === target.value)
            if (chosen) onChange(chosen[0])
          }}
        >
          {options.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

/** Puts the focus into the first field that something is wrong with, once that is on screen. */
export function focusProblem(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
}
