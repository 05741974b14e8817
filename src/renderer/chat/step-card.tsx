import { CirclePause, FileDiff, Play, StepForward } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { Call } from '#shared/model/calls/call.ts'
import { tokensOf } from '#shared/model/models/usage.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { formatCount, formatDuration, formatMoney } from '#shared/text/format.ts'
import { describeStep } from '#shared/tools/tool-labels.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient, useCommand, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { keysHere } from '../state/preferences/keymap.ts'
import type { RunEnd } from '../state/store/timeline.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = strings.chat.steps

interface StepCardProps {
  readonly thread: ThreadState
  readonly end: RunEnd
  /** True while the run waits for the person here. */
  readonly last: boolean
  readonly step: number
  readonly calls: readonly Call[]
}

/** The pause after a step: what happened in it, and the ways on. A pause that is over is only a line. */
export function StepCard({ thread, end, last, step, calls }: StepCardProps): ReactNode {
  const summary = useMemo(() => describeStep(calls), [calls])
  if (!last) {
    return (
      <p className="flex items-center gap-2 py-1 text-faint text-xs tabular-nums">
        {labels.passed(step)}
        <span aria-hidden className="h-px flex-1 bg-line" />
        {formatDuration(end.durationMs)}
      </p>
    )
  }
  return (
    <article
      aria-label={labels.paused(step)}
      className="my-2 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line-strong px-3 py-2"
    >
      <CirclePause size={15} aria-hidden className="shrink-0 text-muted" />
      <div className="min-w-0 flex-1 basis-56">
        <p className="truncate" title={summary}>
          <span className="font-medium">{labels.paused(step)}</span>
          <span className="text-muted">
            {' · '}
            <VisibleText text={summary} />
          </span>
        </p>
        <p className="text-muted text-xs tabular-nums">
          {strings.chat.endUsage(formatCount(tokensOf(end.usage)), formatMoney(end.usage.cost))} ·{' '}
          {formatDuration(end.durationMs)}
        </p>
      </div>
      <StepButtons thread={thread} changed={end.changedPaths > 0} />
    </article>
  )
}

interface StepButtonsProps {
  readonly thread: ThreadState
  /** True if the step changed files. */
  readonly changed: boolean
}

function StepButtons({ thread: { id: threadId, branchId }, changed }: StepButtonsProps): ReactNode {
  const updateUi = useUpdateUi()
  const client = useClient()
  const projectId = useProjectId()
  const going = useCommand()
  const goOn = (step: boolean): void => void going.run(() => client.threads.continue({ projectId, threadId, step }))
  return (
    <>
      <span className="ml-auto flex flex-wrap justify-end gap-2">
        {changed && (
          <Button
            tone="quiet"
            icon={<FileDiff size={14} aria-hidden />}
            onClick={() => updateUi((ui) => ({ ...ui, tab: 'changes', branch: branchId }))}
          >
            {strings.chat.reviewChanges}
          </Button>
        )}
        <Button
          icon={<Play size={14} aria-hidden />}
          title={labels.goOnHint}
          disabled={going.busy}
          onClick={() => goOn(false)}
        >
          {labels.goOn}
        </Button>
        <Button
          tone="primary"
          icon={<StepForward size={14} aria-hidden />}
          title={labels.nextHint(keysHere('Alt+Enter'))}
          disabled={going.busy}
          onClick={() => goOn(true)}
        >
          {labels.next}
        </Button>
      </span>
      {going.refusal && (
        <div className="basis-full">
          <RefusalNotice refusal={going.refusal} />
        </div>
      )}
    </>
  )
}
