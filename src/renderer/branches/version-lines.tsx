import type { ReactNode } from 'react'
import { conflictStrings as labels } from '../strings/later/conflicts.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { reachable } from '../ui/react/elements.tsx'

/** The most lines of a version that are shown. The result still holds every line. */
const linesShown = 300

interface VersionLinesProps {
  readonly label: string
  readonly lines: readonly string[]
  /** The class of a version that the result takes; empty for others. */
  readonly look: string
}

/** One version of a hunk, under its name. */
export function VersionLines({ label, lines, look }: VersionLinesProps): ReactNode {
  return (
    <figure className={classNames('min-w-0', look)}>
      <figcaption className={classNames('px-2 pt-1 text-xs', look === '' ? 'text-muted' : 'font-medium')}>
        <VisibleText text={label} />
      </figcaption>
      <pre
        {...reachable}
        className="max-h-40 overflow-auto whitespace-pre-wrap px-2 pb-1 font-mono text-xs [overflow-wrap:anywhere]"
      >
        {lines.length === 0 && <span className="text-muted italic">{labels.noLines}</span>}
        <VisibleText text={lines.slice(0, linesShown).join('\n')} />
        {lines.length > linesShown && (
          <span className="block text-muted">{labels.moreLines(lines.length - linesShown)}</span>
        )}
      </pre>
    </figure>
  )
}
