import { type ReactNode, useState } from 'react'
import type { ConflictSides } from '#shared/contract/views/branches.ts'
import { conflictStrings } from '../../strings/later/conflicts.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { reachable } from '../../ui/react/elements.tsx'

const labels = conflictStrings

interface WholeFilesProps {
  readonly sides: ConflictSides
  /** The name of the agent or person who changed the current side last. */
  readonly oursBy: string
  /** The name of the incoming side: a branch, or the disk. */
  readonly other: string
  /** True if the files are open from the start: for a conflict without lines they are all there is to see. */
  readonly openAtFirst: boolean
}

/** The three versions of the whole file, for a person who needs to see more than the conflicting lines. */
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

/**
 * The most characters of a version that are shown, so that a large file does not block the page. The result still
 * holds every character.
 */
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
