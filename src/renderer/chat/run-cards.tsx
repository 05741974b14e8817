import { CircleAlert, History, LoaderCircle, Play, Redo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadId } from '#shared/model/ids.ts'
import type { RewindNote, ThreadState } from '#shared/model/thread.ts'
import { formatElapsed } from '#shared/text/format.ts'
import { describeCall } from '#shared/tools/tool-labels.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import type { Delay } from '../state/store/live.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { useNow } from '../ui/react/observers.ts'
import { RetryCard } from './end/error-card.tsx'

const labels = strings.chat
const rewindLabels = strings.rewind

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
  if (delay?.kind === 'retrying') return <RetryCard thread={thread} delay={delay} />
  const elapsed = thread.runStartedAt ? Math.max(now - thread.runStartedAt, 0) : 0
  return (
    <p className="flex items-center gap-1.5 px-1 py-1 text-muted">
      <LoaderCircle size={14} aria-hidden className="text-accent motion-safe:animate-spin" />
      {delay ? delayText(delay) : labels.workingFor(formatElapsed(elapsed), lastTool(thread))}
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

function delayText(delay: Exclude<Delay, { kind: 'unstored' | 'retrying' }>): string {
  return delay.kind === 'waiting' ? labels.waiting(delay.ahead) : labels.compacting(delay.messages)
}

function lastTool(thread: ThreadState): string | null {
  const last = [...thread.calls.values()].at(-1)
  if (!last) return null
  const { verb, object } = describeCall(last.name, last.input)
  return `${verb} ${object}`.trim().slice(0, 80)
}
