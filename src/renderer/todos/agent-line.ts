import type { ThreadState } from '#shared/model/thread.ts'
import { tokensOf } from '#shared/model/usage.ts'

export interface AgentLine {
  /** The tool it called last; empty before the first call. */
  readonly lastTool: string
  /** Milliseconds since it started; it stops when the agent does. */
  readonly elapsed: number
  readonly tokens: number
}

export function isRunning({ status }: ThreadState): boolean {
  return status === 'working' || status === 'queued' || status === 'needs_you'
}

export function describeAgent(thread: ThreadState, now: number): AgentLine {
  const started = thread.runStartedAt ?? thread.createdAt
  const end = isRunning(thread) ? now : thread.updatedAt
  return {
    lastTool: [...thread.calls.values()].at(-1)?.name ?? '',
    elapsed: Math.max(end - started, 0),
    tokens: tokensOf(thread.usage),
  }
}
