import { type ReactNode, useEffect, useState } from 'react'
import { Field, TextArea, TextInput } from '../ui/field.tsx'

export interface SavedFieldProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly type?: 'text' | 'number' | 'url'
  readonly long?: boolean
  readonly suggestions?: readonly string[]
  /** Called when the field is left, or Enter is pressed, and its text has changed. */
  readonly onSave: (value: string) => void
}

/** A text setting that is saved when it is left. */
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
