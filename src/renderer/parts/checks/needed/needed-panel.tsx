import { Scissors, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import type { NeededPart, NeededView } from '#shared/contract/checks.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { neededStrings as labels } from '../../../strings/composing/needed.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { VisibleText } from '../../../ui/controls/visible-text.tsx'
import { reachable } from '../../../ui/react/elements.tsx'
import { RefusalNotice } from '../../refusal-notice.tsx'
import { useNeeded } from './use-needed.ts'

interface NeededPanelProps {
  readonly branchId: BranchId
  readonly check: string
  /** False for a check that is not green, about which only a search that ran already is shown. */
  readonly isGreen: boolean
}

/** Finds what a green check needs of a branch's change, shows the search while it goes on, and removes the rest. */
export function NeededPanel({ branchId, check, isGreen }: NeededPanelProps): ReactNode {
  const { view: last, command, start, cancel, remove } = useNeeded(branchId)
  const view = last?.check === check ? last : null
  if (!isGreen && !view) return null
  const isRunning = view !== null && view.end === null
  const word = !view ? labels.start : view.end?.kind === 'cancelled' ? labels.goOn : labels.again
  return (
    <section aria-label={labels.title} className="flex min-w-0 flex-col gap-2 border-line border-t pt-3">
      {view && <Search view={view} />}
      {view?.end?.kind === 'found' && (
        <Found view={view} parts={view.end.parts} isBusy={command.busy} onRemove={remove} />
      )}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      {isRunning ? (
        <Button className="self-start" icon={<Square size={13} aria-hidden />} disabled={command.busy} onClick={cancel}>
          {labels.cancel}
        </Button>
      ) : (
        isGreen &&
        !view?.canRemove && (
          <Button
            className="self-start"
            icon={<Scissors size={13} aria-hidden />}
            title={labels.startHint}
            disabled={command.busy}
            onClick={() => start(check)}
          >
            {word}
          </Button>
        )
      )}
    </section>
  )
}

function Search({ view: { left, of, runs, durationMs, end } }: { view: NeededView }): ReactNode {
  const words =
    end === null
      ? runs === 0 || of === 0
        ? labels.begins
        : labels.progress(left, of, runs, durationMs)
      : end.kind === 'found'
        ? labels.cost(runs, durationMs)
        : end.kind === 'refused'
          ? end.message
          : labels.cancelled
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {end === null && of > 0 && (
        <div
          role="progressbar"
          aria-label={labels.bar}
          aria-valuemin={0}
          aria-valuemax={of}
          aria-valuenow={left}
          className="h-1 overflow-hidden rounded-full bg-line"
        >
          <div
            className="h-full bg-accent transition-all motion-reduce:transition-none"
            style={{ width: `${(left / of) * 100}%` }}
          />
        </div>
      )}
      <p role="status" className="text-muted text-xs tabular-nums [overflow-wrap:anywhere]">
        <VisibleText text={words} />
      </p>
    </div>
  )
}

/** Hunks that are listed. What is more is removed with them all the same. */
const mostListed = 100
/** Lines of a hunk that are shown. */
const mostLines = 6

interface FoundProps {
  readonly view: NeededView
  readonly parts: readonly NeededPart[]
  readonly isBusy: boolean
  readonly onRemove: (count: number) => void
}

function Found({ view: { check, canRemove }, parts, isBusy, onRemove }: FoundProps): ReactNode {
  const unneeded = parts.filter(({ needed }) => !needed)
  if (unneeded.length === 0) return <p>{labels.all(parts.length)}</p>
  return (
    <>
      <p className="[overflow-wrap:anywhere]">
        <VisibleText text={labels.found(unneeded.length, parts.length, check)} />
      </p>
      <ul
        {...reachable}
        aria-label={labels.list}
        className="flex max-h-64 min-w-0 flex-col overflow-auto rounded-md border border-line"
      >
        {unneeded.slice(0, mostListed).map((part) => (
          <li key={`${part.hunk} ${part.path}`} className="min-w-0 border-line border-b last:border-b-0">
            <p className="bg-panel px-2 py-1 font-medium text-xs [overflow-wrap:anywhere]">
              <VisibleText text={labels.place(part.path, part.hunk)} />
            </p>
            <Lines part={part} />
          </li>
        ))}
      </ul>
      {unneeded.length > mostListed && (
        <p className="text-muted text-xs">{labels.more(unneeded.length - mostListed)}</p>
      )}
      {canRemove ? (
        <Button tone="primary" className="self-start" disabled={isBusy} onClick={() => onRemove(unneeded.length)}>
          {labels.remove(unneeded.length)}
        </Button>
      ) : (
        <p className="text-muted text-xs">{labels.changed}</p>
      )}
    </>
  )
}

function Lines({ part: { hunk, text } }: { part: NeededPart }): ReactNode {
  if (text === '')
    return <p className="px-2 py-1 text-muted text-xs">{hunk === null ? labels.wholeFile : labels.onlyRemoved}</p>
  const lines = text.replace(/\n$/, '').split('\n')
  const shown = lines.slice(0, mostLines).join('\n')
  return (
    <pre className="whitespace-pre-wrap px-2 py-1 font-mono text-xs [overflow-wrap:anywhere]">
      <VisibleText text={lines.length > mostLines ? `${shown}\n…` : shown} />
    </pre>
  )
}
