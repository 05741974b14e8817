import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { useApp } from '../state/hooks.tsx'
import type { Delay } from '../state/live.ts'
import { strings } from '../state/strings.ts'
import { formatElapsed } from '../ui/format.ts'
import { useNow } from '../ui/use-now.ts'

const words = strings.chat

/** What keeps a thread busy right now: never a bare spinner. */
export function WorkingLine({ thread }: { thread: ThreadState }): ReactNode {
  const now = useNow(true)
  const delay = useApp((state) => state.live.delays.get(thread.id))
  const elapsed = thread.runStartedAt ? Math.max(now - thread.runStartedAt, 0) : 0
  return (
    <p className="flex items-center gap-1.5 px-1 py-1 text-muted">
      <LoaderCircle size={14} aria-hidden className="text-accent motion-safe:animate-spin" />
      {delay ? delayText(delay, now) : words.workingFor(formatElapsed(elapsed), lastTool(thread))}
    </p>
  )
}

function delayText(delay: Delay, now: number): string {
  if (delay.kind === 'waiting') return words.waiting(delay.ahead)
  if (delay.kind === 'compacting') return words.compacting(delay.messages)
  return words.retrying(delay.reason, Math.max(Math.ceil((delay.until - now) / 1000), 0))
}

function lastTool(thread: ThreadState): string | null {
  return [...thread.calls.values()].at(-1)?.name ?? null
}
