import type { ReactNode } from 'react'
import { conflictStrings } from '../../strings/later/conflicts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { withKeys } from '../../ui/react/elements.tsx'
import { VersionLines } from '../version-lines.tsx'
import { type ConflictResult, openParts, type ResultPart } from './conflict-result.ts'
import type { ConflictPart, Side } from './conflict-text.ts'

const labels = conflictStrings
const keys: Record<Side, string> = { ours: '1', theirs: '2', both: '3', both_reversed: '3' }

interface ConflictHunksProps {
  readonly parts: readonly ConflictPart[]
  /** The name of the agent or person who changed the current side last. */
  readonly oursBy: string
  /** The name of the incoming side: a branch, or the disk. */
  readonly other: string
  readonly result: ConflictResult
  /** The conflict that keys decide. */
  readonly at: number
  readonly onReach: (place: number) => void
  readonly onChoose: (side: Side, place: number) => void
}

/** The places where both sides changed the same lines, each with its own choice. */
export function ConflictHunks({ parts, oursBy, other, result, at, onReach, onChoose }: ConflictHunksProps): ReactNode {
  const open = openParts(parts)
  return (
    <ol className="flex flex-col gap-2">
      {withKeys(open).map(({ key, item }) => {
        const place = Number(key)
        const part = result.parts[place]
        const chosen = part?.choice ?? null
        const name = labels.hunk(place + 1, open.length)
        const button = (side: Side) => (
          <Button
            key={side}
            aria-pressed={chosen === side}
            title={`${labels.side[side]} (${keys[side]})`}
            onClick={() => onChoose(side, place)}
          >
            {labels.side[side]}
          </Button>
        )
        return (
          <li key={key}>
            <fieldset
              aria-label={name}
              data-conflict={place}
              tabIndex={-1}
              onFocus={() => onReach(place)}
              className={classNames(
                'min-w-0 rounded-md border outline-none focus-visible:outline-2 focus-visible:outline-accent',
                place === at ? 'border-line-strong' : 'border-line',
              )}
            >
              <div className="flex flex-wrap items-center gap-2 rounded-t-md border-line border-b bg-panel px-2 py-1">
                <span className="font-medium">
                  <VisibleText text={name} />
                </span>
                <span className="text-muted text-xs">{decisionText(part)}</span>
                <span className="ml-auto flex flex-wrap gap-1">
                  {button('ours')}
                  {button('theirs')}
                  {button('both')}
                  {(chosen === 'both' || chosen === 'both_reversed') && button('both_reversed')}
                </span>
              </div>
              <div className="grid @2xl:grid-cols-3 @2xl:divide-x @2xl:divide-y-0 divide-y divide-line">
                <VersionLines label={labels.base} lines={item.base} look="" />
                <VersionLines
                  label={labels.ours(oursBy)}
                  lines={item.ours}
                  look={isTaken(chosen, 'ours') ? 'conflict-ours' : ''}
                />
                <VersionLines
                  label={labels.theirs(other)}
                  lines={item.theirs}
                  look={isTaken(chosen, 'theirs') ? 'conflict-theirs' : ''}
                />
              </div>
            </fieldset>
          </li>
        )
      })}
    </ol>
  )
}

/** Says in words what was decided about a part. */
export function decisionText(part: ResultPart | undefined): string {
  if (part?.typed) return labels.typed
  return part?.choice ? labels.takes[part.choice] : labels.undecided
}

function isTaken(choice: Side | null, side: 'ours' | 'theirs'): boolean {
  return choice !== null && (choice === side || choice.startsWith('both'))
}
