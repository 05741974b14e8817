import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { classNames } from '../react/class-names.ts'
import { IconButton } from './button.tsx'

interface CopyButtonProps {
  /** The accessible name. */
  readonly label: string
  readonly text: string
  readonly className?: string
}

/** Milliseconds for which the button confirms the copy. */
const shownFor = 1500

/** Copies the text beside it. Visible only while the pointer or the focus is near. */
export function CopyButton({ label, text, className }: CopyButtonProps): ReactNode {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), shownFor)
    return () => clearTimeout(timer)
  }, [copied])
  const Icon = copied ? Check : Copy
  return (
    <IconButton
      label={label}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => setCopied(false),
        )
      }
      className={classNames(
        'bg-panel opacity-0 focus-visible:opacity-100 [:hover>&]:opacity-100 [:focus-within>&]:opacity-100',
        className,
      )}
    >
      <Icon size={14} aria-hidden />
    </IconButton>
  )
}
