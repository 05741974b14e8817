import { patchTree } from '#overlay'
import type { Call } from '#shared/model/calls/call.ts'
import type { Outcome } from '#shared/model/calls/outcome.ts'
import { outcomeQuestion, type Question } from '../../approval/policy.ts'
import { type Ground, groundOnTop, keep, keepSome, type Now } from '../../trial/outcome.ts'
import type { CallContext, LoopSteps } from './call-context.ts'
import { answerEntry, awaitedCall } from './finish-call.ts'
import { isTriedEdit } from './judge-call.ts'
import type { JudgedPlan, PlannedCall, Step } from './next-step.ts'
import {
  contentAt,
  didTheSame,
  pythonOf,
  type RanBefore,
  recordOutcome,
  takeUpOutcome,
  untouched,
} from './record-outcome.ts'
import { concludeCall, grantedHosts, type RanCall, runCall, startEntry } from './run-call.ts'
import { type Settled, settleRun } from './settle-call.ts'

/**
 * `failed`: it failed, and calls before it may change that. `waits`: it needs what its subagents come to, and runs again
 * then. Nothing of either is stored.
 */
export type TriedEnd = Settled | { readonly kind: 'failed' | 'waits' }

interface TrialOptions {
  readonly ground: Ground
  /** True when every call before it has its result. */
  readonly isNext: boolean
  /** What a person is asked unless a rule decides. Null for nothing. */
  readonly question: Question | null
  /** Null for a first run. */
  readonly ranBefore: RanBefore | null
}

/** Runs a call aside, on top of what the calls below it did. */
export async function* tryOnTop(
  calls: CallContext,
  { call: planned, below, isNext }: Extract<Step, { kind: 'try' }>,
  signal: AbortSignal,
): LoopSteps<TriedEnd> {
  const ground = below.reduce((under, one) => groundOnTop(under, one.callId, one.outcome), calls.branch.ground())
  return yield* tryCall(calls, planned, { ground, isNext, question: questionOf(planned), ranBefore: null }, signal)
}

/** The question about a call that is tried. One that a person edited to see it again always asks. */
function questionOf({ call: { decision }, known }: JudgedPlan): Question | null {
  if (!known) return outcomeQuestion
  const question = known.verdict.kind === 'try' ? known.verdict.question : null
  return question ?? (decision?.type === 'edit' && decision.hold ? outcomeQuestion : null)
}

/** Runs one call aside. A rule may decide at once about what it did; otherwise that waits for a person. */
async function* tryCall(
  calls: CallContext,
  planned: PlannedCall,
  trial: TrialOptions,
  signal: AbortSignal,
): LoopSteps<TriedEnd> {
  const { call, tool } = planned
  const isEdit = isTriedEdit(call, tool)
  if (!isEdit) yield [{ ...startEntry(call), ...cutOf(calls, call) }]
  const ran = await runAside(calls, planned, trial.ground, signal)
  if (ran.output.awaits) {
    yield [awaitedCall(calls, call, ran.output.awaits)]
    return { kind: 'waits' }
  }
  if (isEdit && !ran.output.ok && !trial.isNext) return { kind: 'failed' }
  return yield* settleRun(calls, { ...trial, ran, kind: 'aside', recorded: null }, signal)
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
): LoopSteps<TriedEnd> {
  const settled = yield* keepAsItIs(calls, planned, { outcome, isSeen }, signal)
  if (settled.kind !== 'moved on') return settled
  const again = { ...planned, call: { ...planned.call, input: outcome.input } }
  const options: AgainOptions = { outcome, isSeen, ranBefore: { reason: settled.reason, edited: outcome.edited } }
  if (!isTriedEdit(planned.call, planned.tool)) return yield* commandAgain(calls, again, options, signal)
  return yield* editAgain(calls, again, options, signal)
}

/** Judges and stores all of an outcome, or what the call's decision chose. `moved on`: it must run again. */
async function* keepAsItIs(
  calls: CallContext,
  planned: PlannedCall,
  { outcome, isSeen }: KeepOptions,
  signal: AbortSignal,
): LoopSteps<Settled> {
  const { branch } = calls
  const { hashOf, changesBetween } = branch
  const { tree, environment } = branch.ground()
  const whyElse: Now['whyElse'] = () => whyElseStale(calls, outcome, signal)
  const now = { tree, hash: hashOf(tree), environment, changesBetween, whyElse }
  const { decision } = planned.call
  const chosen = decision?.type === 'approve' ? decision.paths : undefined
  const kept = chosen === undefined ? await keep(outcome, now) : await keepSome(outcome, chosen, now)
  if (kept.kind === 'stale') return { kind: 'moved on', reason: kept.reason }
  const ran = await takeUpOutcome(calls, planned, outcome, kept, signal)
  const recorded = { outcome, part: { ...outcome, patch: kept.patch } }
  const facts = { ground: branch.ground(), question: null, ranBefore: null, isNext: true } as const
  return yield* settleRun(calls, { ran, kind: isSeen ? 'seen' : 'aside', recorded, ...facts }, signal)
}

/** Why something beside the branch is another one than the outcome began with. Null when nothing is. */
async function whyElseStale(calls: CallContext, outcome: Outcome, signal: AbortSignal): Promise<string | null> {
  if (outcome.pythonBefore !== undefined && outcome.pythonBefore !== pythonOf(calls))
    return 'It ran again, because the Python variables that it began with are others by now.'
  if (await changedBeside(calls, outcome, signal))
    return 'It ran again, because files beside the project that it changes were changed after it had run.'
  const { drift } = await calls.openWorkspace(signal, untouched, patchTree(calls.branch.tree(), outcome.patch))
  // What the branch had changed before may have drifted before, and running again would not change that.
  for (const [path, [before]] of outcome.patch)
    if (before === null && (await drift(path)) !== null)
      return 'It ran again, because files that it changes were changed on disk after it had run.'
  return null
}

async function changedBeside(calls: CallContext, { places }: Outcome, signal: AbortSignal): Promise<boolean> {
  const known = places.filter(({ was }) => was !== undefined)
  if (known.length === 0) return false
  const now = await calls.openWorkspace(signal, untouched)
  for (const { path, was } of known) {
    const bytes = await contentAt(now, path)
    if ((bytes && now.files.hash(bytes)) !== was) return true
  }
  return false
}

interface AgainOptions extends KeepOptions {
  readonly ranBefore: RanBefore
}

async function* commandAgain(
  calls: CallContext,
  { call, tool }: PlannedCall,
  { ranBefore, isSeen }: AgainOptions,
  signal: AbortSignal,
): LoopSteps<TriedEnd> {
  if (mayReachHosts(calls, call)) {
    yield calls.withCheckpoint([answerEntry(calls, call, 'error', notRepeated)])
    return { kind: 'finished' }
  }
  // The decision about the earlier run is not one about this run.
  const undecided = { call: { ...call, decision: null }, tool }
  const question = isSeen ? outcomeQuestion : null
  const trial = { ground: calls.branch.ground(), isNext: true, question, ranBefore }
  return yield* tryCall(calls, undecided, trial, signal)
}

const notRepeated =
  'It ran, and the files that it ran on changed before the user kept it, so nothing of it was kept. It was not run again by itself, because it may reach hosts. Call it again if it is still needed.'

async function* editAgain(
  calls: CallContext,
  planned: PlannedCall,
  { ranBefore, outcome: first, isSeen }: AgainOptions,
  signal: AbortSignal,
): LoopSteps<TriedEnd> {
  const { call, tool } = planned
  const ground = calls.branch.ground()
  const ran = await runAside(calls, { call: { ...call, decision: null }, tool }, ground, signal)
  const outcome = await recordOutcome(calls, ran, ground, ranBefore)
  // Nothing is left to decide about a run that changes nothing, so the agent reads why.
  const isSame = didTheSame(calls.branch, first, outcome)
  if (!ran.output.ok || isSame || !isSeen) {
    const settled = yield* keepAsItIs(calls, planned, { outcome, isSeen: isSeen || !ran.output.ok }, signal)
    if (settled.kind !== 'moved on') return settled
  }
  const facts = { ground, question: outcomeQuestion, ranBefore, isNext: true } as const
  return yield* settleRun(calls, { ran, kind: 'aside', recorded: { outcome, part: outcome }, ...facts }, signal)
}
