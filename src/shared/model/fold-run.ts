import type { EntryOf } from './entry.ts'
import type { ThreadState, ThreadStatus } from './thread.ts'

export function foldRun(thread: ThreadState, entry: EntryOf<'run.started' | 'run.ended'>): ThreadState {
  if (entry.type === 'run.started') {
    const status = thread.interrupts.length > 0 ? 'needs_you' : 'working'
    const started = { runStartedAt: entry.at, costLimit: entry.costLimit ?? null, usageBeforeRun: thread.usage }
    return { ...thread, ...started, status, end: null, iterations: 0 }
  }
  const { status, reason, message, at } = entry
  const interrupts = status === 'interrupted' ? thread.interrupts : []
  return { ...thread, interrupts, status: statusAfter(thread, entry), end: { status, reason, message, at } }
}

function statusAfter(thread: ThreadState, entry: EntryOf<'run.ended'>): ThreadStatus {
  if (thread.interrupts.length > 0 && entry.status === 'interrupted') return 'needs_you'
  return entry.status === 'interrupted' ? 'paused' : entry.status
}
