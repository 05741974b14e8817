import type { Call } from '#shared/model/calls/call.ts'
import type { Outcome } from '#shared/model/calls/outcome.ts'
import { textOf } from '#shared/model/message.ts'
import { outcomeQuestion, type Question } from '../../approval/policy.ts'
import { changedTheSame, type Ground, type KeptPart } from '../../trial/outcome.ts'
import { type CallContext, type Commit, type LoopSteps, withCheckpoint } from './call-context.ts'
import { answerEntry, storeResult } from './finish-call.ts'
import { failRefused, isTriedEdit, judgeRun } from './judge-call.ts'
import type { KnownCall, PlannedCall } from './next-step.ts'
import { groundOf, keptBack, keptOf, recordOutcome, takeUpOutcome } from './record-outcome.ts'
import { concludeCall, grantedHosts, type RanCall, runCall, startEntry } from './run-call.ts'
import { resultIn } from './show-effects.ts'

/** What became of a trial. */
export type TriedEnd =
  /** Its result is stored. */
  | { readonly kind: 'finished' }
  /** It waits for a person. */
  | { readonly kind: 'kept back'; readonly question: Question }
  /** Nobody needs to see it, and calls before it come first. Nothing of it is stored. */
  | { readonly kind: 'passed'; readonly outcome: Outcome }
  /** It failed, and calls before it may change that. Nothing of it is stored. */
  | { readonly kind: 'failed' }

export interface TrialOptions {
  readonly ground: Ground
  /** True when every call before it has its result. */
  readonly isNext: boolean
  /** What a person is asked unless a rule decides. Null for nothing. */
  readonly question: Question | null
  /** Why it runs again; null for a first run. */
  readonly ranAgain: string | null
}

/** The question about a call that is tried. One that a person edited to see it again always asks. */
export function questionOf({ verdict }: Pick<KnownCall, 'verdict'>, call: Call): Question | null {
  const question = verdict.kind === 'try' ? verdict.question : null
  return question ?? (call.decision?.type === 'edit' && call.decision.hold ? outcomeQuestion : null)
}

/** Runs one call aside. A rule may decide at once about what it did; otherwise that waits for a person. */
export async function* tryCall(
  calls: CallContext,
  planned: PlannedCall,
  { ground, isNext, question, ranAgain }: TrialOptions,
  signal: AbortSignal,
): LoopSteps<TriedEnd> {
  const { call } = planned
  const isEdit = isTriedEdit(call, planned.tool)
  if (!isEdit) yield [{ ...startEntry(call), ...cutOf(calls, call) }]
  const ran = await runAside(calls, planned, ground, signal)
  if (isEdit && !ran.output.ok && !isNext) return { kind: 'failed' }
  const verdict = await judgeRun(calls, ran, { ground, question, isApproved: false, isTried: true }, signal)
  if (verdict.kind === 'refuse') {
    yield* storeResult(calls, await failRefused(calls, ran, verdict), signal)
    return { kind: 'finished' }
  }
  const outcome = await recordOutcome(calls, ran, ground, ranAgain)
  if (verdict.kind === 'ask') {
    yield [keptBack(call, outcome)]
    return { kind: 'kept back', question: verdict }
  }
  if (!isNext) return { kind: 'passed', outcome }
  yield* storeResult(calls, ran, signal, { before: countedBefore(planned, outcome) })
  return { kind: 'finished' }
}

/** Only an edit by a person is about the run to come. Other decisions were about an earlier run. */
async function runAside(
  calls: CallContext,
  { call, tool }: PlannedCall,
  ground: Ground,
  signal: AbortSignal,
): Promise<RanCall> {
  const undecided = call.decision?.type === 'edit' ? call : { ...call, decision: null }
  if (!isTriedEdit(call, tool)) return runCall(calls, undecided, tool, signal, { ground })
  // A person who keeps it approves its changes, and none of them reaches anything real before.
  const ran = await runCall(calls, undecided, tool, signal, { ground, approval: { approved: true, written: [] } })
  return concludeCall(ran, () => true, signal)
}

/** A run that may have reached a host has an effect that a cut leaves unknown. Any other counts as not begun. */
function cutOf(calls: CallContext, call: Call): { readonly outside: true } | { readonly holds: true } {
  return mayReachHosts(calls, call) ? { outside: true } : { holds: true }
}

/** True for a run whose second time could have a second effect somewhere else. */
function mayReachHosts({ branch }: CallContext, call: Call): boolean {
  return branch.hosts().length > 0 || grantedHosts(call).length > 0
}

/** What the journal says before the result of a trial that counts: an edit starts only then, a command was kept back. */
function countedBefore({ call, tool }: PlannedCall, outcome: Outcome): Commit {
  return isTriedEdit(call, tool) ? [{ ...startEntry(call), input: outcome.input }] : [keptBack(call, outcome)]
}

interface KeepOptions {
  readonly outcome: Outcome
  /** True when a person has seen it. */
  readonly isSeen: boolean
}

/**
 * Stores the result and the changes of a trial. When the branch is another one by now, it runs again: an edit that does
 * the same counts at once, all else is shown again.
 */
export async function* keepCall(
  calls: CallContext,
  planned: PlannedCall,
  { outcome, isSeen }: KeepOptions,
  signal: AbortSignal,
): LoopSteps {
  const kept = await keptOf(calls, planned.call, outcome, signal)
  if (kept.kind === 'kept' && (yield* storeKept(calls, planned, { outcome, kept, isSeen }, signal)) === 'settled')
    return
  const again: Again = {
    planned: { ...planned, call: { ...planned.call, input: outcome.input } },
    reason:
      kept.kind === 'stale'
        ? kept.reason
        : 'It ran again, because files that it changes were changed after it had run.',
    ...{ outcome, isSeen },
  }
  if (isTriedEdit(planned.call, planned.tool)) yield* editAgain(calls, again, signal)
  else yield* commandAgain(calls, again, signal)
}

async function* storeKept(
  calls: CallContext,
  planned: PlannedCall,
  { outcome, kept, isSeen }: KeepOptions & { readonly kept: KeptPart },
  signal: AbortSignal,
): LoopSteps<'settled' | 'moved_on'> {
  const { call, tool } = planned
  const taken = await takeUpOutcome(calls, planned, outcome, kept, signal)
  const facts = { ground: groundOf(calls), question: null, isApproved: isSeen, isTried: !isSeen }
  // Only the part that a person keeps counts.
  const part = { ...outcome, patch: kept.patch }
  const verdict = await judgeRun(calls, taken, { ...facts, outcome: part }, signal)
  if (verdict.kind === 'ask') {
    yield [keptBack(call, outcome)]
    return 'settled'
  }
  const before = isSeen && !isTriedEdit(call, tool) ? [] : countedBefore(planned, outcome)
  const options = { before, answersOvertaken: false }
  const stored = yield* storeResult(calls, await failRefused(calls, taken, verdict), signal, options)
  return stored === 'stored' ? 'settled' : stored
}

interface Again extends KeepOptions {
  /** The call with the arguments that ran. */
  readonly planned: PlannedCall
  /** Why it runs again, as a sentence. */
  readonly reason: string
}

async function* commandAgain(
  calls: CallContext,
  { planned: { call, tool }, reason, isSeen }: Again,
  signal: AbortSignal,
): LoopSteps {
  if (mayReachHosts(calls, call)) {
    yield withCheckpoint(calls, [answerEntry(calls, call, 'error', notRepeated)])
    return
  }
  // The decision about the earlier run is not one about this run.
  const undecided = { call: { ...call, decision: null }, tool }
  const question = isSeen ? outcomeQuestion : null
  yield* tryCall(calls, undecided, { ground: groundOf(calls), isNext: true, question, ranAgain: reason }, signal)
}

const notRepeated =
  'It ran, and the files that it ran on changed before the user kept it, so nothing of it was kept. It was not run again by itself, because it may reach hosts. Call it again if it is still needed.'

async function* editAgain(
  calls: CallContext,
  { planned, reason, outcome: first, isSeen }: Again,
  signal: AbortSignal,
): LoopSteps {
  const { call, tool } = planned
  const ground = groundOf(calls)
  const ran = await runAside(calls, { call: { ...call, decision: null }, tool }, ground, signal)
  const outcome = { ...(await recordOutcome(calls, ran, ground, reason)), edited: first.edited }
  // Nothing is left to decide about a run that changes nothing, so the agent reads why.
  const isSame = changedTheSame(first, outcome) && sameText(calls, first, outcome)
  if (!ran.output.ok || isSame || !isSeen) {
    const kept = await keptOf(calls, call, outcome, signal)
    const options = { outcome, isSeen: isSeen || !ran.output.ok }
    if (kept.kind === 'kept' && (yield* storeKept(calls, planned, { ...options, kept }, signal)) === 'settled') return
  }
  yield [keptBack(call, outcome)]
}

/** True when the agent would read the same, apart from how long it took. */
function sameText({ branch }: CallContext, first: Outcome, second: Outcome): boolean {
  const [one, other] = [first, second].map((outcome) => textOf(resultIn(branch, outcome).content).replace(timing, ''))
  return one === other
}

const timing = /"duration_ms":[\d.]+/g
