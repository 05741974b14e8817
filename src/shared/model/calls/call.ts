import type { JsonObject, JsonValue } from '../../base/json.ts'
import type { Sequence, ToolCallId } from '../ids.ts'
import type { ToolResult } from '../message.ts'
import type { JudgedAttempt } from './attempts.ts'
import type { Decision } from './interrupt.ts'
import type { Outcome } from './outcome.ts'

/** One tool call of an agent: what it is, where it stands, and what came of it. */
export interface Call {
  readonly callId: ToolCallId
  readonly name: string
  /** The model's arguments, or a person's edit of them once the edited call has started. */
  readonly input: JsonObject
  /**
   * The beginning of what the model sent in place of a JSON input. Such a call is answered with an error and never
   * runs.
   */
  readonly unreadable?: string | undefined
  /** Where it stands now. */
  readonly state: CallState
  /** A person's latest answer about it. Null before the first. */
  readonly decision: Decision | null
  /** When it last started, in milliseconds since the Unix epoch. Null for one that never did. */
  readonly startedAt: number | null
  /** Paths the call changed in the overlay. */
  readonly changedPaths: readonly string[]
  /** The call whose declared tasks this one carries out; null for the model's own call. */
  readonly derivedFrom: ToolCallId | null
  /** The call that carries out the tasks that this one declared; null when there is none. */
  readonly derived: ToolCallId | null
  /** Tasks that its code waited for, in rounds, each with the call that carries it out. Absent while there were none. */
  readonly awaited?: readonly AwaitedCall[]
  /** Versions of memories that the call wrote or deleted. */
  readonly remembered: readonly RememberedNote[]
  readonly batch: BatchStart | null
  /** What stages said before it ran. Absent while none was asked. */
  readonly staged?: StagedCall
}

export interface AwaitedCall {
  readonly callId: ToolCallId
  /** As the code asked for them, whatever a person made of them. */
  readonly tasks: readonly JsonValue[]
}

/** What hooks and programs of the person said about a call before it ran. */
export interface StagedCall {
  /** The arguments about which they were asked. */
  readonly about: JsonObject
  /** The strictest of their answers; null when none had anything to say. */
  readonly verdict: { readonly kind: 'refuse' | 'ask' | 'allow'; readonly by: string; readonly reason: string } | null
  /** Who gave it other arguments, and which ones it had before. Null for nobody. */
  readonly changed: { readonly by: string; readonly given: JsonObject } | null
  /** True once they were asked whether the person must be. */
  readonly askedForPerson: boolean
}

export type CallState =
  | { readonly kind: 'requested' }
  /** Its interrupt is open, and a person must answer. */
  | { readonly kind: 'asking'; readonly about: Asked }
  /** A person has answered, and the loop has yet to carry the answer out. `decision` says what it is. */
  | { readonly kind: 'decided'; readonly about: Asked }
  | { readonly kind: 'running'; readonly cut: CutRun }
  /** It ran aside, nothing of it counts, and nobody was asked yet. */
  | { readonly kind: 'kept back'; readonly outcome: Outcome }
  | { readonly kind: 'finished'; readonly result: ToolResult; readonly durationMs: number; readonly how: FinishedCall }

/** What a question is about: whether the call may run, whether what it did counts, or how a run ended that was cut off. */
export type Asked =
  | { readonly kind: 'run' }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'end' }

/**
 * What a crash makes of a run. It `runs again` when everything that it does is stored with its result, it `never began`
 * when nothing of it counts before a person keeps it, and for all others its effect is `unknown`.
 */
export type CutRun = 'runs again' | 'never began' | 'unknown'

/**
 * How a call came to its result: it `ran` or was answered; it was `kept back` before, and its decision says whether it
 * was kept; or it ran and its changes were `dropped` without a question, as in *Plan*.
 */
export type FinishedCall = 'ran' | 'kept back' | 'dropped'

export interface RememberedNote {
  readonly name: string
  readonly sequence: Sequence
  /** What happened to a memory for all projects. Absent for a memory of the project. */
  readonly user?: 'written' | 'deleted'
}

/** A batch that has begun. Its tasks are in the input of its call. */
export interface BatchStart {
  readonly startedAt: number
  /** The folder of its result files, with a slash at the end. */
  readonly folder: string
  readonly concurrency: number
  /** The entry that last retried it; null when there is none. */
  readonly retried: Sequence | null
  /** Why tasks could not start, by their index. A retry tries them again. */
  readonly refused: ReadonlyMap<number, string>
  /** Its own limit in US dollars from the start. Absent for none. */
  readonly cost?: number
  /** What was last found of each attempt that was looked at, by its index. Absent for other batches, and before the first look. */
  readonly judged?: ReadonlyMap<number, JudgedAttempt>
  /** What a person should know of that, in sentences. Absent or empty for nothing. */
  readonly judgedNote?: string
  /** What a person changed while it ran, oldest first. Absent for nothing. */
  readonly changes?: readonly BatchChange[]
}

export interface BatchChange {
  /** The entry that made it. */
  readonly sequence: Sequence
  /** In milliseconds since the Unix epoch. */
  readonly at: number
  readonly concurrency?: number
  /** In US dollars; null for the limit of the settings again. */
  readonly cost?: number | null
  readonly add?: readonly JsonObject[]
  /** Indexes of tasks. */
  readonly drop?: readonly number[]
}

/** The calls that carry out what the call declared or waited for, in their order. */
export function derivedCallsOf({ awaited = [], derived }: Pick<Call, 'awaited' | 'derived'>): readonly ToolCallId[] {
  return [...awaited.map(({ callId }) => callId), ...(derived === null ? [] : [derived])]
}

/** What the call did aside, while it does not count. Null for a call that did nothing aside. */
export function openOutcome({ state }: Pick<Call, 'state'>): Outcome | null {
  if (state.kind === 'kept back') return state.outcome
  return (state.kind === 'asking' || state.kind === 'decided') && state.about.kind === 'outcome'
    ? state.about.outcome
    : null
}

/** Null for a call without a result, and for no call. */
export function resultOf(call: Pick<Call, 'state'> | undefined): ToolResult | null {
  return call?.state.kind === 'finished' ? call.state.result : null
}

/** Milliseconds that it took. Null for a call without a result. */
export function callDuration({ state }: Pick<Call, 'state'>): number | null {
  return state.kind === 'finished' ? state.durationMs : null
}

/** True while a person must answer before it can go on. */
export function isAsking(call: Pick<Call, 'state'> | undefined): boolean {
  return call?.state.kind === 'asking'
}

/** True for a call that has not run, or whose run was cut off and counts as if it had not begun. */
export function isUnstarted({ state }: Pick<Call, 'state'>): boolean {
  return state.kind === 'requested' || (state.kind === 'running' && state.cut === 'never began')
}

/** True for a call that a crash cut off while it had effects outside any transaction. */
export function isEndUnknown({ state }: Pick<Call, 'state'>): boolean {
  return state.kind === 'running' && state.cut === 'unknown'
}
