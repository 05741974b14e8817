import { type ReactNode, useEffect, useId, useState } from 'react'
import { Field, TextArea, TextInput } from '../ui/controls/field.tsx'

interface ChoiceOption<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly hint?: string
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly ChoiceOption<Value>[]
  readonly onChange: (value: Value) => void
}

/** Chooses one of a few options, all of them visible. */
export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>): ReactNode {
  const name = useId()
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="divide-y divide-line rounded-lg border border-line">
        {options.map((option) => (
          <label key={option.value} className="flex min-h-9 cursor-pointer items-center gap-3 px-3 py-1.5">
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              className="size-4 shrink-0 accent-accent-solid"
            />
            <span>
              <span className="block">{option.label}</span>
              {option.hint && <span className="block text-muted text-xs">{option.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface SavedFieldProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly type?: 'text' | 'number' | 'url'
  readonly long?: boolean
  readonly suggestions?: readonly string[]
  /** Called with a changed text when the field is left or Enter is pressed. */
  readonly onSave: (value: string) => void
}

/** A text field that saves when it is left. */
export function SavedField({
  label,
  hint,
  value,
  type = 'text',
  long,
  suggestions,
  onSave,
}: SavedFieldProps): ReactNode {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const save = (): void => {
    if (text.trim() !== value) onSave(text.trim())
  }
  return (
    <Field label={label} hint={hint}>
      {(id) =>
        long ? (
          <TextArea id={id} rows={5} value={text} onChange={(event) => setText(event.target.value)} onBlur={save} />
        ) : (
          <>
            <TextInput
              id={id}
              type={type}
              list={suggestions ? `${id}-list` : undefined}
              value={text}
              onChange={(event) => setText(event.target.value)}
              onBlur={save}
              onKeyDown={(event) => event.key === 'Enter' && save()}
            />
            {suggestions && (
              <datalist id={`${id}-list`}>
                {suggestions.map((suggestion) => (
                  <option key={suggestion} value={suggestion} />
                ))}
              </datalist>
            )}
          </>
        )
      }
    </Field>
  )
}

interface CheckProps {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

/** A box to tick, with its label. */
export function Check({ label, checked, onChange }: CheckProps): ReactNode {
  return (
    <label className="flex min-h-6 items-center gap-2">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 shrink-0 accent-accent-solid"
      />
      {label}
    </label>
  )
}

interface SwitchProps {
  readonly label: string
  readonly hint: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}

/** Switches something on or off, and says what that means. */
export function Switch({ label, hint, on, onChange }: SwitchProps): ReactNode {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 px-3 py-1.5">
      <input
        type="checkbox"
        role="switch"
        aria-checked={on}
        checked={on}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 accent-accent-solid"
      />
      <span>
        <span className="block">{label}</span>
        <span className="block text-muted text-xs">{hint}</span>
      </span>
    </label>
  )
}
