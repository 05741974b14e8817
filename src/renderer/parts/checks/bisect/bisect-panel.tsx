import { Search, Square } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { BisectView, BrokenStep } from '#shared/contract/checks.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { bisectStrings as labels } from '../../../strings/later/bisect.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { VisibleText } from '../../../ui/controls/visible-text.tsx'
import { RefusalNotice } from '../../refusal-notice.tsx'
import { BisectTrack, boundsOf } from './bisect-track.tsx'
import { BrokenStepView } from './broken-step.tsx'
import { stepName, useBisect } from './use-bisect.ts'

interface BisectPanelProps {
  readonly branchId: BranchId
  readonly check: string
  /** False for a check that is green, about which only a search that ran already is shown. */
  readonly isRed: boolean
}

/** Finds the step that broke a check of a branch, and shows the search while it goes on. */
export function BisectPanel({ branchId, check, isRed }: BisectPanelProps): ReactNode {
  const actions = useBisect(branchId)
  const view = actions.view?.check === check ? actions.view : null
  const isRunning = view !== null && view.end === null
  if (!isRed && !view) return null
  return (
    <div className="flex min-w-0 flex-col gap-2 border-line border-t pt-3">
      {view && <SearchView view={view} />}
      {view?.end?.kind === 'found' && view.found[0] && (
        <BrokenStepView check={check} step={view.found[0]} actions={actions} />
      )}
      {view?.end && <EndWords view={view} />}
      {actions.command.refusal && <RefusalNotice refusal={actions.command.refusal} />}
      {isRunning ? (
        <Button
          className="self-start"
          icon={<Square size={13} aria-hidden />}
          disabled={actions.command.busy}
          onClick={actions.cancel}
        >
          {labels.cancel}
        </Button>
      ) : (
        isRed && <StartForm actions={actions} check={check} end={view?.end ?? null} />
      )}
    </div>
  )
}

interface StartFormProps {
  readonly actions: ReturnType<typeof useBisect>
  readonly check: string
  readonly end: BisectView['end']
}

function StartForm({ actions, check, end }: StartFormProps): ReactNode {
  const [isFlaky, setFlaky] = useState(false)
  const word = end === null ? labels.start : end.kind === 'cancelled' ? labels.goOn : labels.again
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Button
        icon={<Search size={13} aria-hidden />}
        title={labels.startHint}
        disabled={actions.command.busy}
        onClick={() => actions.start(check, isFlaky)}
      >
        {word}
      </Button>
      <label title={labels.sureHint} className="flex items-center gap-1.5 text-muted">
        <input type="checkbox" checked={isFlaky} onChange={({ target }) => setFlaky(target.checked)} />
        {labels.sure}
      </label>
    </div>
  )
}

function SearchView({ view }: { view: BisectView }): ReactNode {
  const { asked, most, steps, runs, durationMs, end } = view
  const { green, red } = boundsOf(view)
  // What lies between is halved, and one of the two verdicts is heard again.
  const open = Math.min(Math.max(0, most - asked.length), Math.ceil(Math.log2(Math.max(1, red - green))) + 1)
  const left = runs === 0 ? null : open * (durationMs / runs)
  const words =
    end !== null
      ? labels.cost(runs, durationMs)
      : steps === 0
        ? labels.begins
        : [
            labels.progress(asked.length, asked.length + open, steps),
            ...(left === null ? [] : [labels.left(left)]),
          ].join(' · ')
  return (
    <div>
      <BisectTrack bisect={view} />
      <p role="status" className="text-muted text-xs tabular-nums">
        {words}
      </p>
    </div>
  )
}

/** What a search found when it is not one step. */
function EndWords({ view: { end, check, found } }: { view: BisectView }): ReactNode {
  const name = (step: BrokenStep | undefined) => (step ? `${stepName(step)} (${step.branch})` : labels.beginning)
  const words = {
    found: '',
    green: labels.green(check),
    always: labels.always(check),
    between: labels.between(name(found.length > 1 ? found[0] : undefined), name(found.at(-1))),
    flaky: labels.flaky(check),
    moved: labels.moved,
    cancelled: labels.cancelled,
  }[end?.kind ?? 'cancelled']
  if (words === '') return null
  return (
    <p className="[overflow-wrap:anywhere]">
      <VisibleText text={words} />
    </p>
  )
}
