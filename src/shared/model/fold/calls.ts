import type { JsonObject } from '../../base/json.ts'
import { type Asked, type BatchChange, type BatchStart, type Call, type CallState, openOutcome } from '../calls/call.ts'
import type { EntryOf } from '../entry.ts'
import type { ToolCallId } from '../ids.ts'
import type { ThreadState } from '../thread.ts'

const requested: CallState = { kind: 'requested' }
const toRun: Asked = { kind: 'run' }
const itsEnd: Asked = { kind: 'end' }

export function newCall(callId: ToolCallId, name: string, input: JsonObject): Call {
  return {
    ...{ callId, name, input, state: requested, decision: null, startedAt: null, changedPaths: [] },
    ...{ derivedFrom: null, derived: null, remembered: [], batch: null },
  }
}

/** What an older run did is not what this one does, so its outcome goes. */
export function startCall(call: Call, entry: EntryOf<'tool.started'>): Call {
  const { input, at, outside, holds } = entry
  const cut = outside ? 'unknown' : holds ? 'never began' : 'runs again'
  return { ...call, input, startedAt: at, state: { kind: 'running', cut } }
}

/** A person's edit of the arguments is their last word, so stages can only refuse it or ask about it. */
export function stageCall(call: Call, { moment, verdict, about, input, changedBy }: EntryOf<'stages.asked'>): Call {
  if (call.state.kind === 'finished' || moment === 'PostToolUse') return call
  const { staged } = call
  const isForPerson = moment === 'PermissionRequest'
  const changed = input && { by: changedBy ?? '', given: staged?.changed?.given ?? call.input }
  return {
    ...call,
    ...(input && { input }),
    staged: {
      about: input ?? about ?? staged?.about ?? call.input,
      verdict: verdict ?? (isForPerson ? (staged?.verdict ?? null) : null),
      changed: changed ?? staged?.changed ?? null,
      askedForPerson: isForPerson || (staged?.askedForPerson ?? false),
    },
  }
}

/** Of a run that waits nothing counts, so it can be repeated whatever it was allowed to do. */
export function deriveCall(call: Call, { callId, input: { tasks }, awaited }: EntryOf<'call.derived'>): Call {
  if (!awaited) return { ...call, derived: callId }
  const { state } = call
  return {
    ...call,
    ...(state.kind === 'running' && state.cut === 'unknown' && { state: { kind: 'running', cut: 'runs again' } }),
    awaited: [...(call.awaited ?? []), { callId, tasks: Array.isArray(tasks) ? tasks : [] }],
  }
}

export function keepBack(call: Call, entry: EntryOf<'effects.held'>): Call {
  return { ...call, state: { kind: 'kept back', outcome: entry.held } }
}

export function finishCall(call: Call, entry: EntryOf<'tool.finished'>): Call {
  const { result, durationMs } = entry
  const { state } = call
  const wasDropped = state.kind === 'running' && state.cut === 'never began'
  const how = openOutcome(call) !== null ? 'kept back' : wasDropped ? 'dropped' : 'ran'
  return { ...call, state: { kind: 'finished', result, durationMs, how } }
}

export function askAbout(call: Call): Call {
  return { ...call, state: { kind: 'asking', about: aboutOf(call) } }
}

export function decideCall(call: Call, entry: EntryOf<'interrupt.decided'>): Call {
  const { decision } = entry
  return {
    ...call,
    state: { kind: 'decided', about: aboutOf(call) },
    // What a person allowed to run stays, with the arguments they gave it.
    decision: decision.type === 'run_again' ? (call.decision ?? decision) : decision,
  }
}

function aboutOf(call: Call): Asked {
  const { state } = call
  if (state.kind === 'asking' || state.kind === 'decided') return state.about
  const outcome = openOutcome(call)
  if (outcome !== null) return { kind: 'outcome', outcome }
  return state.kind === 'running' && state.cut !== 'never began' ? itsEnd : toRun
}

/** A call of a copied conversation. A person must say of one that ran what became of it, here too. */
export function copyAsked(call: Call): Call {
  const { state } = call
  if ((state.kind !== 'asking' && state.kind !== 'decided') || state.about.kind !== 'end')
    return { ...call, state: requested, startedAt: null }
  return {
    ...call,
    state: { kind: 'running', cut: 'unknown' },
  }
}

export function updateCall(thread: ThreadState, callId: ToolCallId, change: (call: Call) => Call): ThreadState {
  const call = thread.calls.get(callId)
  return call ? { ...thread, calls: thread.calls.with(callId, change(call)) } : thread
}

/** The batch of a call begins, cannot start some of its tasks, is changed by a person, has its attempts judged, or is tried again. */
export function foldBatch(
  call: Call,
  entry: EntryOf<'batch.started' | 'batch.refused' | 'batch.changed' | 'batch.retried' | 'batch.judged'>,
): Call {
  if (entry.type === 'batch.started') {
    const { at: startedAt, folder, concurrency, cost } = entry
    const own = cost === undefined ? {} : { cost }
    return { ...call, batch: { startedAt, folder, concurrency, retried: null, refused: new Map(), ...own } }
  }
  if (call.batch === null) return call
  if (entry.type === 'batch.refused')
    return {
      ...call,
      batch: {
        ...call.batch,
        refused: new Map([...call.batch.refused, ...entry.tasks.map(({ index, reason }) => [index, reason] as const)]),
      },
    }
  if (entry.type === 'batch.judged') {
    const judged = new Map([
      ...(call.batch.judged ?? []),
      ...entry.attempts.map((attempt) => [attempt.index, attempt] as const),
    ])
    return { ...call, batch: { ...call.batch, judged, judgedNote: entry.note } }
  }
  if (entry.type === 'batch.changed') {
    const { at, concurrency = call.batch.concurrency, cost, add, drop } = entry
    const change: BatchChange = {
      ...{
        sequence: entry.sequence,
        at,
        ...(entry.concurrency !== undefined && { concurrency }),
        ...(cost !== undefined && { cost }),
      },
      ...{ ...(add && { add }), ...(drop && { drop }) },
    }
    return { ...call, batch: { ...call.batch, concurrency, changes: [...(call.batch.changes ?? []), change] } }
  }
  return {
    ...call,
    state: { kind: 'running', cut: 'runs again' },
    batch: withoutOwnCost({ ...call.batch, retried: entry.sequence, refused: new Map() }, entry),
  }
}

/** Its own limit was spent before, so a retry begins with that of the settings. */
function withoutOwnCost(batch: BatchStart, { sequence, at }: Pick<BatchChange, 'sequence' | 'at'>): BatchStart {
  const { changes = [] } = batch
  return changes.some(({ cost }) => cost !== undefined)
    ? { ...batch, changes: [...changes, { sequence, at, cost: null }] }
    : batch
}
