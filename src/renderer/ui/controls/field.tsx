import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from '../react/class-names.ts'

const inputClass =
  'w-full rounded-md border border-line-strong bg-canvas px-2.5 text-sm text-text outline-none focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-accent'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly children: (id: string) => ReactNode
}

/** A form control with its label and hint. `children` gets the id that the label refers to. */
export function Field({ label, hint, children }: FieldProps): ReactNode {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children(id)}
      {hint && <div className="text-muted text-xs">{hint}</div>}
    </div>
  )
}

export function TextInput({ className, ...rest }: ComponentProps<'input'>): ReactNode {
  return (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      {...rest}
      className={classNames(inputClass, 'h-8', className)}
    />
  )
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>): ReactNode {
  return <textarea spellCheck={false} {...rest} className={classNames(inputClass, 'py-1.5', className)} />
}

export function Select({ className, ...rest }: ComponentProps<'select'>): ReactNode {
  return <select {...rest} className={classNames(inputClass, 'h-8', className)} />
}
