import { CircleAlert, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks.tsx'
import type { Delay } from '../state/live.ts'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { formatElapsed } from '../ui/format.ts'
import { useNow } from '../ui/use-now.ts'

const labels = strings.chat

/** What keeps a thread busy right now: never a bare spinner. */
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

/** Nobody works, and the journal could not be told so. */
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
