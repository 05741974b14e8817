import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../react/class-names.ts'

type ButtonTone = 'primary' | 'plain' | 'quiet' | 'danger'

const tones: Record<ButtonTone, string> = {
  primary: 'border-accent-solid bg-accent-solid text-on-accent hover:opacity-90',
  plain: 'border-line-strong bg-raised text-text hover:bg-hover',
  quiet: 'border-transparent text-muted hover:bg-hover hover:text-text',
  /** Like the others until the pointer or the focus is on it, so that a screen is not full of red. */
  danger:
    'border-line-strong bg-raised text-text hover:border-bad/50 hover:bg-bad-soft hover:text-bad focus-visible:text-bad',
}

interface ButtonProps extends ComponentProps<'button'> {
  readonly tone?: ButtonTone
  readonly size?: 'small' | 'medium'
  readonly icon?: ReactNode
}

/** A button with a text. */
export function Button({ tone = 'plain', size = 'small', icon, className, children, ...rest }: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      className={classNames(
        'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors duration-100 [&>svg]:shrink-0',
        'disabled:cursor-default disabled:opacity-50 aria-pressed:border-accent aria-pressed:text-accent',
        size === 'small' ? 'h-7 px-2.5 text-sm' : 'h-9 px-4 text-base',
        tones[tone],
        className,
      )}
    >
      {icon}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  /** The accessible name, also shown as the tooltip. */
  readonly label: string
  readonly keys?: string
  readonly children: ReactNode
}

/** A button that shows only an icon; `label` names it. */
export function IconButton({ label, keys, className, children, ...rest }: IconButtonProps): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      {...rest}
      className={classNames(
        'inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text disabled:opacity-40 aria-pressed:bg-hover aria-pressed:text-text',
        className,
      )}
    >
      {children}
    </button>
  )
}
