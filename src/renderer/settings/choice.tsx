import { type ReactNode, useId } from 'react'

export interface ChoiceOption<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly hint?: string
}

export interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly ChoiceOption<Value>[]
  readonly onChange: (value: Value) => void
}

/** One of a few, all of them in sight. */
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
              className="size-4 accent-accent-solid"
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
