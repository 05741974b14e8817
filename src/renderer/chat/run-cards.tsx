import { CircleAlert, FileDiff, History, LoaderCircle, Play, Redo2, Settings } from 'lucide-react'
import type { ReactNode } from 'react'
import { checkpointBeforeRun } from '#shared/model/derived/checkpoints.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import type { RewindNote, ThreadState } from '#shared/model/thread.ts'
import { tokensOf } from '#shared/model/usage.ts'
import { StatusMark } from '../parts/marks.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId, useSession } from '../state/hooks/hooks.tsx'
import type { Delay } from '../state/store/live.ts'
import type { RunEnd } from '../state/store/timeline.ts'
import { showRewind } from '../state/store/ui-state.ts'
import { formatCount, formatDuration, formatElapsed, formatMoney } from '../strings/format.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { useNow } from '../ui/react/observers.ts'

const labels = strings.chat
const rewindLabels = strings.rewind
const statuses = { done: 'done', failed: 'failed', stopped: 'stopped', interrupted: 'paused' } as const

interface EndCardProps {
  readonly thread: ThreadState
  readonly end: RunEnd
  /** True if the thread has not continued since. */
  readonly last: boolean
}

/** How a run ended, what it changed, and what it cost. */
export function EndCard({ thread, end, last }: EndCardProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const { store, updateUi } = useSession()
  const going = useCommand()
  const tokens = tokensOf(end.usage)
  const beforeRun = (): Sequence | null =>
    checkpointBeforeRun(store.getState().project.past.threads.get(thread.id), end.sequence) ?? null
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
              onClick={() => updateUi((ui) => ({ ...ui, route: 'settings', settingsSection: 'models' }))}
            >
              {labels.modelSettings}
            </Button>
          )}
          <Button
            icon={<History size={14} aria-hidden />}
            onClick={() => updateUi((ui) => showRewind(ui, beforeRun()))}
          >
            {strings.rewind.rewind}
          </Button>
          {end.changedPaths > 0 && (
            <Button
              icon={<FileDiff size={14} aria-hidden />}
              onClick={() =>
                updateUi((ui) => ({
                  ...ui,
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

interface RewindCardProps {
  readonly thread: ThreadState
  readonly note: RewindNote
  /** True for the thread's latest rewind. */
  readonly last: boolean
}

/** Marks where the thread was rewound, and offers the redo. */
export function RewindCard({ thread, note, last }: RewindCardProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const target = { projectId, threadId: thread.id }
  const title = titleOf(note)
  const goneOn = thread.lastSequence > note.sequence
  return (
    <article aria-label={title} className="my-2 rounded-lg border border-line border-dashed px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <History size={14} aria-hidden className="text-warn" />
        <span>{title}</span>
        <span className="ml-auto flex gap-2">
          {last && thread.status === 'paused' && (
            <Button
              icon={<Play size={14} aria-hidden />}
              disabled={command.busy}
              onClick={() => void command.run(() => client.threads.continue(target))}
            >
              {strings.chat.continue}
            </Button>
          )}
          {last && (
            <Button
              icon={<Redo2 size={14} aria-hidden />}
              title={goneOn ? rewindLabels.redoReplaces : undefined}
              disabled={command.busy}
              onClick={() => void command.run(() => client.rewind.redo({ ...target, sequence: note.sequence }))}
            >
              {note.undoes === null ? rewindLabels.redo : rewindLabels.again}
            </Button>
          )}
        </span>
      </div>
      {last && goneOn && <p className="mt-1 text-muted text-xs">{rewindLabels.redoReplaces}.</p>}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </article>
  )
}

function titleOf({ undoes, files, conversation }: RewindNote): string {
  if (undoes !== null) return rewindLabels.redone
  return rewindLabels.card[files && conversation ? 'both' : files ? 'files' : 'conversation']
}

/** Says what a thread is busy with, and for how long. */
export function WorkingLine({ thread }: { thread: ThreadState }): ReactNode {
  const now = useNow(true)
  const delay = useApp((state) => state.live.delays.get(thread.id))
  if (delay?.kind === 'unstored') return <UnstoredLine threadId={thread.id} message={delay.message} />
  const elapsed = thread.runStartedAt ? Math.max(now - thread.runStartedAt, 0) : 0
  return (
    <p className="flex items-center gap-1.5 px-1 py-1 text-muted">
      <LoaderCircle size={14} aria-hidden className="text-accent motion-safe:animate-spin" />
      {delay ? delayText(delay, now) : labels.workingFor(formatElapsed(elapsed), lastTool(thread))}
    </p>
  )
}

/** The run has ended, but its end could not be stored. */
function UnstoredLine({ threadId, message }: { threadId: ThreadId; message: string }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const continuing = useCommand()
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 rounded-lg border border-bad/60 bg-raised px-3 py-2">
      <CircleAlert size={14} aria-hidden className="text-bad" />
      <span className="min-w-0 flex-1">{message}</span>
      <Button
        disabled={continuing.busy}
        onClick={() => void continuing.run(() => client.threads.continue({ projectId, threadId }))}
      >
        {labels.continue}
      </Button>
    </div>
  )
}

function delayText(delay: Exclude<Delay, { kind: 'unstored' }>, now: number): string {
  if (delay.kind === 'waiting') return labels.waiting(delay.ahead)
  if (delay.kind === 'compacting') return labels.compacting(delay.messages)
  return labels.retrying(delay.reason, Math.max(Math.ceil((delay.until - now) / 1000), 0))
}

function lastTool(thread: ThreadState): string | null {
  return [...thread.calls.values()].at(-1)?.name ?? null
}
