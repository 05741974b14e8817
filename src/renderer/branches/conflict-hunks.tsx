import type { ReactNode } from 'react'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { keyed } from '../ui/keyed.ts'
import { reachable } from '../ui/reachable.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'
import type { ConflictPart, Side } from './conflict-text.ts'

const words = strings.branches
const sides = ['ours', 'theirs', 'both'] as const
const labels: Record<Side, string> = { ours: words.takeOurs, theirs: words.takeTheirs, both: words.takeBoth }

export interface ConflictHunksProps {
  readonly parts: readonly ConflictPart[]
  readonly choices: readonly Side[]
  readonly onChoose: (choices: readonly Side[]) => void
}

/** Each place where both sides changed the same lines, with its own choice. */
export function ConflictHunks({ parts, choices, onChoose }: ConflictHunksProps): ReactNode {
  const open = parts.filter((part) => part.kind === 'open')
  return (
    <ol className="flex flex-col gap-2">
      {keyed(open).map(({ key, item }) => {
        const place = Number(key)
        const name = words.hunk(place + 1, open.length)
        return (
          <li key={key} className="rounded-md border border-line">
            <fieldset aria-label={name}>
              <div className="flex flex-wrap items-center gap-2 border-line border-b bg-panel px-2 py-1">
                <span className="font-medium">{name}</span>
                <span className="ml-auto flex gap-1">
                  {sides.map((side) => (
                    <Button
                      key={side}
                      aria-pressed={choices[place] === side}
                      onClick={() => onChoose(choices.with(place, side))}
                    >
                      {labels[side]}
                    </Button>
                  ))}
                </span>
              </div>
              <Lines tone="bg-removed" lines={item.ours} />
              <Lines tone="bg-added" lines={item.theirs} />
            </fieldset>
          </li>
        )
      })}
    </ol>
  )
}

/** Lines of one side that are shown; the result holds all of them. */
const shownAtMost = 300

function Lines({ tone, lines }: { tone: string; lines: readonly string[] }): ReactNode {
  return (
    <pre
      {...reachable}
      className={`${tone} max-h-40 overflow-auto whitespace-pre-wrap px-2 font-mono text-xs [overflow-wrap:anywhere]`}
    >
      <VisibleText text={lines.length > 0 ? lines.slice(0, shownAtMost).join('\n') : words.noLines} />
      {lines.length > shownAtMost && (
        <span className="block text-muted">{strings.branches.moreLines(lines.length - shownAtMost)}</span>
      )}
    </pre>
  )
}
