import { type ReactNode, useState } from 'react'
import type { ConflictSides } from '#shared/contract/views/branches.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { reachable, withKeys } from '../ui/react/elements.tsx'
import type { ConflictPart, Side } from './conflict-text.ts'

const labels = strings.branches
const sides = ['ours', 'theirs', 'both'] as const
const sideLabels: Record<Side, string> = { ours: labels.takeOurs, theirs: labels.takeTheirs, both: labels.takeBoth }

interface ConflictHunksProps {
  readonly parts: readonly ConflictPart[]
  /** The name of the agent or person who changed the current side last. */
  readonly oursBy: string
  /** The name of the incoming side: a branch, or the disk. */
  readonly other: string
  readonly choices: readonly Side[]
  readonly onChoose: (choices: readonly Side[]) => void
}

/** The places where both sides changed the same lines, each with its own choice. */
export function ConflictHunks({ parts, oursBy, other, choices, onChoose }: ConflictHunksProps): ReactNode {
  const open = parts.filter((part) => part.kind === 'open')
  return (
    <ol className="flex flex-col gap-2">
      {withKeys(open).map(({ key, item }) => {
        const place = Number(key)
        const chosen = choices[place]
        const name = labels.hunk(place + 1, open.length)
        return (
          <li key={key} className="rounded-md border border-line">
            <fieldset aria-label={name} className="min-w-0">
              <div className="flex flex-wrap items-center gap-2 border-line border-b bg-panel px-2 py-1">
                <span className="font-medium">
                  <VisibleText text={name} />
                </span>
                <span className="ml-auto flex gap-1">
                  {sides.map((side) => (
                    <Button
                      key={side}
                      aria-pressed={chosen === side}
                      onClick={() => onChoose(choices.with(place, side))}
                    >
                      {sideLabels[side]}
                    </Button>
                  ))}
                </span>
              </div>
              <div className="grid @2xl:grid-cols-3 @2xl:divide-x @2xl:divide-y-0 divide-y divide-line">
                <Version label={labels.base} lines={item.base} taken={false} />
                <Version label={labels.ours(oursBy)} lines={item.ours} taken={chosen !== 'theirs'} />
                <Version label={labels.theirs(other)} lines={item.theirs} taken={chosen !== 'ours'} />
              </div>
            </fieldset>
          </li>
        )
      })}
    </ol>
  )
}

/** The most lines of a version that are shown. The result still holds every line. */
const linesShown = 300

interface VersionProps {
  readonly label: string
  readonly lines: readonly string[]
  /** Whether the result takes these lines. */
  readonly taken: boolean
}

function Version({ label, lines, taken }: VersionProps): ReactNode {
  return (
    <figure className={classNames('min-w-0', taken && 'bg-added')}>
      <figcaption className={classNames('px-2 pt-1 text-xs', taken ? 'font-medium' : 'text-muted')}>{label}</figcaption>
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
