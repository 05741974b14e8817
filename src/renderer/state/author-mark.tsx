import { PenLine } from 'lucide-react'
import type { ReactNode } from 'react'
import { VisibleText } from '../ui/visible-text-view.tsx'
import { strings } from './strings.ts'

/** Who made the last change of a file; nothing where nobody knows. */
export function AuthorMark({ name }: { name: string }): ReactNode {
  if (name === '') return null
  return (
    <span
      title={strings.common.lastChangedBy(name)}
      className="flex min-w-0 max-w-36 items-center gap-1 text-muted text-xs"
    >
      <PenLine size={12} aria-hidden className="shrink-0" />
      <span className="sr-only">{strings.common.lastChangedBy('')}</span>
      <span className="truncate">
        <VisibleText text={name} />
      </span>
    </span>
  )
}
