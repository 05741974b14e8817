import type { JsonObject, JsonValue } from '../../base/json.ts'
import { attemptsTool, taskOfAttempt, variantsOf } from '../calls/attempts.ts'
import type { BatchStart, Call } from '../calls/call.ts'
import type { ThreadId, ToolCallId } from '../ids.ts'
import { childrenOf, type ProjectState } from '../project-state.ts'
import { answerOf, type ThreadState } from '../thread.ts'

export const batchTool = 'batch_task'

/** The subagent type that every installation has. */
export const defaultType = 'general-purpose'

export interface BatchTask {
  /** The id that the task's author gave, or its position if there is none. */
  readonly id: string
  readonly type: string
  readonly description: string
}

/** How a task ended. `skipped`: a budget was spent before it could start. `cancelled`: a person stopped it. */
export const batchOutcomes = ['ok', 'failed', 'skipped', 'cancelled'] as const
export type BatchOutcome = (typeof batchOutcomes)[number]
export type RowStatus = BatchOutcome | 'queued' | 'working' | 'needs_you' | 'paused'

/** The state of one task of a batch. Rows are never stored; they are read from the subagents' threads. */
export interface BatchRow extends BatchTask {
  readonly index: number
  readonly status: RowStatus
  /** Its subagent; null before it starts, and while it waits for a retry. */
  readonly thread: ThreadState | null
  /** Why it could not start; null when it could. */
  readonly refusal: string | null
  /** True for one that a person dropped before it started. Absent for all others. */
  readonly isDropped?: true
}

/** One row per task, in order. Empty for a call that is not a batch or has not begun. */
export function batchRows(state: ProjectState, threadId: ThreadId, callId: ToolCallId): readonly BatchRow[] {
  const call = state.threads.get(threadId)?.calls.get(callId)
  if (!call?.batch) return []
  const subagents = new Map<number, ThreadState>()
  for (const child of childrenOf(state, threadId))
    if (child.parent?.callId === callId) subagents.set(child.parent.index, child)
  const dropped = new Set(call.batch.changes?.flatMap(({ drop = [] }) => drop))
  return batchTasksOf(call).map((task, index) => {
    const subagent = subagents.get(index)
    const thread = subagent && isReplaced(state, call, subagent) ? null : (subagent ?? null)
    if (thread === null && dropped.has(index))
      return { ...task, index, thread, refusal: null, status: 'cancelled', isDropped: true }
    const refusal = thread ? null : (call.batch?.refused.get(index) ?? null)
    if (refusal !== null) return { ...task, index, thread: null, refusal, status: 'failed' }
    return { ...task, index, thread, refusal, status: thread ? statusOf(thread, call) : unstartedStatus(call) }
  })
}

/** The tasks of a batch, with those that a person added. */
export function batchTasksOf({ name, input, batch }: Call): readonly BatchTask[] {
  if (name === attemptsTool) return attemptTasks(input)
  const given = batchTasks(input)
  const added = batch?.changes?.flatMap(({ add = [] }) => add) ?? []
  if (added.length === 0) return given
  const more = batchTasks({ tasks: added }).map((task, index) =>
    added[index]?.id === undefined ? { ...task, id: String(given.length + index) } : task,
  )
  return [...given, ...more]
}

/** A batch's own limit in US dollars, as it began with or a person last set it. Undefined when nobody did; null for none of its own. */
export function costLimitOf({ changes = [], cost: given }: BatchStart): number | null | undefined {
  const changed = changes.findLast(({ cost }) => cost !== undefined)?.cost
  return changed === undefined ? given : changed
}

/** The tasks given to a call. The schema of its tool has already checked them. */
export function batchTasks({ tasks: written }: JsonObject): readonly BatchTask[] {
  const tasks = typeof written === 'string' ? listIn(written) : written
  if (!Array.isArray(tasks)) return []
  return (tasks as readonly JsonValue[]).map((given, index) => {
    const task = typeof given === 'object' && given !== null ? (given as JsonObject) : { description: given }
    return {
      id: textOr(task.id, String(index)),
      type: textOr(task.type, defaultType),
      description: textOr(task.description ?? task.instructions ?? task.prompt ?? task.task, ''),
    }
  })
}

/** One task for each attempt. The id says which one it is, from 1. */
function attemptTasks(input: JsonObject): readonly BatchTask[] {
  const task = textOr(input.task, '')
  return variantsOf(input).map((variant, index) => ({
    id: `attempt ${index + 1}`,
    type: variant.agent ?? defaultType,
    description: taskOfAttempt(task, variant),
  }))
}

/** A list that a model wrote as text, which counts as the list. */
function listIn(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** True while the task has no outcome yet. */
export function isOpen({ status }: BatchRow): boolean {
  return !(batchOutcomes as readonly string[]).includes(status)
}

/** The subagent's last answer, or why there is none. */
export function answerOfRow({ status, thread, refusal, isDropped }: BatchRow): string {
  switch (status) {
    case 'ok':
      return thread ? answerOf(thread) : ''
    case 'failed':
      return (refusal ?? thread?.end?.message) || 'The subagent did not finish.'
    case 'skipped':
      return 'Not started: a budget was spent before.'
    case 'cancelled':
      if (isDropped) return 'Not started: the user dropped it.'
      return thread ? 'Stopped.' : 'Not started: the batch was stopped before.'
    default:
      return ''
  }
}

/** Milliseconds that the subagent took; null if it has not ended. */
export function durationOf({ thread }: BatchRow): number | null {
  return thread?.end ? Math.max(0, thread.end.at - thread.createdAt) : null
}

/** True when a retry starts this task again: its subagent is older than the retry and did not end well. */
function isReplaced(state: ProjectState, call: Call, { end, branchId }: ThreadState): boolean {
  const retried = call.batch?.retried ?? null
  if (retried === null || call.state.kind === 'finished' || end?.status === 'done' || end?.status === 'interrupted')
    return false
  return (state.branches.get(branchId)?.forkedAt ?? retried) < retried
}

function statusOf({ end, status, runStartedAt }: ThreadState, call: Call): RowStatus {
  if (end === null && call.name === attemptsTool && runStartedAt === null)
    return call.state.kind === 'finished' ? 'skipped' : 'queued'
  if (end === null) return status === 'needs_you' ? 'needs_you' : 'working'
  if (end.status === 'done') return 'ok'
  if (end.status === 'failed') return 'failed'
  if (end.status === 'stopped') return end.reason === 'user' ? 'cancelled' : 'failed'
  if (call.state.kind === 'finished') return 'cancelled'
  return status === 'needs_you' ? 'needs_you' : 'paused'
}

function unstartedStatus(call: Call): RowStatus {
  if (call.state.kind !== 'finished') return 'queued'
  return call.state.result.outcome === 'ok' ? 'skipped' : 'cancelled'
}

function textOr(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}
