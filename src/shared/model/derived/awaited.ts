import type { JsonValue } from '../../base/json.ts'
import { type Call, resultOf } from '../calls/call.ts'
import type { ToolCallId } from '../ids.ts'
import { textOf } from '../message.ts'
import { openCalls, type ThreadState } from '../thread.ts'
import type { BatchOutcome } from './batch.ts'

/** What code reads of a subagent that it waited for. The names are part of the tool contract. */
export interface AwaitedResult {
  readonly status: BatchOutcome
  readonly result?: JsonValue
  readonly error?: string
  /** The name of its branch for `merge_subagent`; null when it was never started. */
  readonly handle: string | null
  readonly [more: string]: JsonValue | undefined
}

/** Tasks that code waited for at the same time, with what each came to. */
export interface EndedRound {
  readonly tasks: readonly JsonValue[]
  readonly results: readonly AwaitedResult[]
}

/** The rounds of a call that have ended, in order. They stay as they were at their end, whatever subagents do later. */
export function endedRounds(thread: Pick<ThreadState, 'calls'>, callId: ToolCallId): readonly EndedRound[] {
  return (thread.calls.get(callId)?.awaited ?? []).flatMap(({ callId: own, tasks }) => {
    const call = thread.calls.get(own)
    if (call?.state.kind !== 'finished') return []
    const stored = storedResults(call)
    return [{ tasks, results: tasks.map((_, index) => stored[index] ?? withoutResult(call)) }]
  })
}

/** True for the call that carries out tasks for which code waits. */
export function isAwaited({ calls }: Pick<ThreadState, 'calls'>, { callId, derivedFrom }: Call): boolean {
  const from = derivedFrom === null ? undefined : calls.get(derivedFrom)
  return from?.awaited?.some((one) => one.callId === callId) ?? false
}

/** What code that waits had waited for before. */
export interface AwaitedBefore {
  readonly tasks: number
  /** True when a person rejected or stopped some of it, or it could not run. */
  readonly isRefused: boolean
}

/** What code had waited for before that which it waits for now; nothing when none waits. */
export function awaitedBefore(thread: ThreadState): AwaitedBefore {
  const open = openCalls(thread)
  const waiting = open.find(({ awaited = [] }) => open.some(({ callId }) => callId === awaited.at(-1)?.callId))
  const before = (waiting?.awaited ?? []).slice(0, -1)
  const outcomes = before.flatMap(({ callId }) => thread.calls.get(callId) ?? []).map((call) => resultOf(call)?.outcome)
  return {
    tasks: before.reduce((sum, { tasks }) => sum + tasks.length, 0),
    isRefused: outcomes.some((outcome) => outcome !== undefined && outcome !== 'ok'),
  }
}

/** The results stand behind the summary, as one text. */
function storedResults(call: Call): readonly AwaitedResult[] {
  const part = resultOf(call)?.content[1]
  try {
    const results: unknown = part?.type === 'text' ? JSON.parse(part.text) : []
    return Array.isArray(results) ? results : []
  } catch {
    return []
  }
}

/** A person rejected or changed the batch, or it was refused. */
function withoutResult(call: Call): AwaitedResult {
  const result = resultOf(call)
  const status = result?.outcome === 'error' ? 'failed' : 'cancelled'
  return { status, error: textOf(result?.content ?? []), handle: null }
}
