import { type ReactNode, useState } from 'react'
import type { ConflictSides } from '#shared/contract/views.ts'
import { strings } from '../state/strings.ts'
import { reachable } from '../ui/reachable.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'

const labels = strings.branches

export interface WholeFilesProps {
  readonly sides: ConflictSides
  /** Who changed this side last. */
  readonly oursBy: string
  /** Whose the other side is. */
  readonly other: string
  /** Where the conflicting lines cannot be told apart, the files are what there is to look at. */
  readonly openAtFirst: boolean
}

/** The three versions of the file from end to end, for those who need more than the conflicting lines. */
export function WholeFiles({ sides: { base, ours, theirs }, oursBy, other, openAtFirst }: WholeFilesProps): ReactNode {
  const [open, setOpen] = useState(openAtFirst)
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-6 cursor-pointer text-muted hover:text-text">{labels.wholeFiles}</summary>
      {open && (
        <div className="grid @2xl:grid-cols-3 gap-2 pt-1">
          <WholeFile label={labels.base} text={base} />
          <WholeFile label={labels.ours(oursBy)} text={ours} />
          <WholeFile label={labels.theirs(other)} text={theirs} />
        </div>
      )}
    </details>
  )
}

/** Characters of one side that are shown, so that a large file does not hold up the page; the result holds all. */
const charactersShown = 100_000

function WholeFile({ label, text }: { label: string; text: string | null }): ReactNode {
  return (
    <figure className="min-w-0 rounded-md border border-line">
      <figcaption className="border-line border-b bg-panel px-2 py-1 font-medium">{label}</figcaption>
      {text === null ? (
        <p className="px-2 py-1 text-muted">{labels.absent}</p>
      ) : (
        <section {...reachable} aria-label={label} className="max-h-56 overflow-auto px-2 py-1">
          <pre className="font-mono text-xs">
            <VisibleText text={text.slice(0, charactersShown)} />
            {text.length > charactersShown && <span className="block text-muted">{labels.restNotShown}</span>}
          </pre>
        </section>
      )}
    </figure>
  )
}
