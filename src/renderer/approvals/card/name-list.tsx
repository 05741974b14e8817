import type { ReactNode } from 'react'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

interface NameListProps {
  readonly title: string
  readonly names?: readonly string[] | undefined
}

/** A list of what a command line does not show to the eye. Nothing when there is none. */
export function NameList({ title, names = [] }: NameListProps): ReactNode {
  if (names.length === 0) return null
  return (
    <section aria-label={title} className="rounded-md border border-warn/40 bg-warn-soft px-2 py-1">
      <p className="font-medium">{title}</p>
      <ul className="max-h-32 overflow-auto font-mono text-xs [overflow-wrap:anywhere]">
        {names.map((name) => (
          <li key={name}>
            <VisibleText text={name} />
          </li>
        ))}
      </ul>
    </section>
  )
}
