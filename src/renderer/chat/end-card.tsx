import { FileDiff, History, Play, Settings } from 'lucide-react'
import type { ReactNode } from 'react'
import { checkpointBeforeRun } from '#shared/model/checkpoints.ts'
import type { Sequence } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { tokensOf } from '#shared/model/usage.ts'
import { useClient, useCommand, useProjectId, useSession } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { StatusMark } from '../state/status.tsx'
import { strings } from '../state/strings.ts'
import type { RunEnd } from '../state/timeline.ts'
import { showRewind } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { formatCount, formatDuration, formatMoney } from '../ui/format.ts'

const labels = strings.chat
const statuses = { done: 'done', failed: 'failed', stopped: 'stopped', interrupted: 'paused' } as const

export interface EndCardProps {
  readonly thread: ThreadState
  readonly end: RunEnd
  /** The thread has not gone on since. */
  readonly last: boolean
}

/** How a run ended, what it changed and what it cost. */
export function EndCard({ thread, end, last }: EndCardProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const { store, updateView } = useSession()
  const going = useCommand()
  const tokens = tokensOf(end.usage)
  const beforeRun = (): Sequence | null =>
    checkpointBeforeRun(store.getState().journal.past.threads.get(thread.id), end.sequence) ?? null
  const canContinue = last && end.status !== 'done'
  return (
    <article aria-label={labels.end[end.status]} className="my-2 rounded-lg border border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusMark status={statuses[end.status]} />
        <span>{labels.endFiles(end.changedPaths)}</span>
        <span className="text-muted tabular-nums">
          {tokens > 0 && `${labels.endUsage(formatCount(tokens), formatMoney(end.usage.cost))} · `}
          {formatDuration(end.durationMs)}
        </span>
        <span className="ml-auto flex flex-wrap justify-end gap-2">
          {canContinue && (
            <Button
              icon={<Play size={14} aria-hidden />}
              disabled={going.busy}
              onClick={() => void going.run(() => client.threads.continue({ projectId, threadId: thread.id }))}
            >
              {labels.continue}
            </Button>
          )}
          {end.reason === 'model_error' && (
            <Button
              icon={<Settings size={14} aria-hidden />}
              onClick={() => updateView((view) => ({ ...view, route: 'settings', settingsSection: 'models' }))}
            >
              {labels.modelSettings}
            </Button>
          )}
          <Button
            icon={<History size={14} aria-hidden />}
            onClick={() => updateView((view) => showRewind(view, beforeRun()))}
          >
            {strings.rewind.rewind}
          </Button>
          {end.changedPaths > 0 && (
            <Button
              icon={<FileDiff size={14} aria-hidden />}
              onClick={() =>
                updateView((view) => ({
                  ...view,
                  tab: thread.parent ? 'branches' : 'changes',
                  branch: thread.branchId,
                }))
              }
            >
              {labels.reviewChanges}
            </Button>
          )}
        </span>
      </div>
      {end.status !== 'done' && end.message && (
        <p className="mt-1 text-muted [overflow-wrap:anywhere]">{end.message}</p>
      )}
      {going.refusal && <RefusalNotice refusal={going.refusal} />}
    </article>
  )
}
