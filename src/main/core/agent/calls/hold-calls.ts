import { ticks } from '#shared/base/clock.ts'
import { type Call, isUnstarted, openOutcome } from '#shared/model/call.ts'
import type { EntryBody } from '#shared/model/entry.ts'
import type { MessageId } from '#shared/model/ids.ts'
import type { Outcome } from '#shared/model/outcome.ts'
import { isAboutEffects } from '../../approval/effects-rules.ts'
import { steerNoticeEntry } from '../../journal/notices.ts'
import type { Tree } from '../../overlay/tree.ts'
import { failedOutput } from '../../tools/tool.ts'
import { unsettledCalls } from '../context/conversation.ts'
import { withCheckpoint } from '../model/request-reply.ts'
import type { LoopContext, LoopSteps } from '../types/loop-context.ts'
import {
  effectsOfHeld,
  type Ground,
  groundOf,
  judgeEffects,
  objectionTo,
  onTopOf,
  recordHeld,
  staleReason,
  takeUpHeld,
} from './hold-run.ts'
import type { Judge } from './judge-call.ts'
import { argumentsOf, finishCall, finishedEntry, grantedHosts, type RanCall, reviewCall, runCall } from './run-call.ts'
import type { PlannedCall } from './schedule.ts'

/**
 * Runs the calls of the last reply whose effects are held, each on top of those before it, until one must wait for
 * something else. So a person sees all of them at once.
 */
export async function* holdCalls(context: LoopContext, judge: Judge, signal: AbortSignal): LoopSteps {
  let ground = groundOf(context)
  for (const { callId } of unsettledCalls(context.thread())) {
    const call = context.thread().calls.get(callId)
    const tool = call && context.tools.find(({ name }) => name === call.name)
    if (!call || !tool || (tool.effect === 'read' && !tool.isQuestion)) continue
    if (call.state.kind === 'kept back') {
      ground = onTopOf(ground, callId, call.state.outcome)
      continue
    }
    if (!isUnstarted(call) || (await judge.gateOf(call, tool)).kind !== 'hold') return
    yield* holdOne(context, { call, tool }, { ground, ranAgain: null }, signal)
    const ran = context.thread().calls.get(callId)
    const held = ran && openOutcome(ran)
    // What it wrote beside the project counts only when it is kept, so a later command would not find it.
    if (held?.places.length) return
    // Without a held run, a rule about effects has decided, and the branch may have changed.
    ground = held ? onTopOf(ground, callId, held) : ground.after === null ? groundOf(context) : ground
  }
}

interface HoldOptions {
  readonly ground: Ground
  /** Why it runs again; null for a first run. */
  readonly ranAgain: string | null
}

/** Runs one call and stores what it did, for a person to decide about. A rule about effects may decide at once. */
async function* holdOne(
  context: LoopContext,
  { call, tool }: PlannedCall,
  { ground, ranAgain }: HoldOptions,
  signal: AbortSignal,
): LoopSteps {
  signal.throwIfAborted()
  // Only an edit is about the run to come. Other decisions were about an earlier run.
  const undecided = call.decision?.type === 'edit' ? call : { ...call, decision: null }
  const cut = mayReachHosts(context, call) ? ({ outside: true } as const) : ({ holds: true } as const)
  yield [{ type: 'tool.started', callId: call.callId, name: call.name, input: argumentsOf(call), ...cut }]
  const ran = await runCall(context, undecided, tool, signal, ground)
  yield* settle(context, ran, await judgeRun(context, ran, { ground, ranAgain }), signal)
}

/**
 * Runs a decided call whose effects a person wants to see first, or keeps those that they have seen. `held`: it waits for
 * a person once more. Undefined for a call that is to run in the usual way.
 */
export async function* carryOutHeld(
  context: LoopContext,
  { call, tool }: PlannedCall,
  signal: AbortSignal,
): LoopSteps<'stored' | 'held' | undefined> {
  const { decision } = call
  if (decision?.type === 'edit' && decision.hold) {
    yield* holdOne(context, { call, tool }, { ground: groundOf(context), ranAgain: null }, signal)
    return 'held'
  }
  return openOutcome(call) !== null && decision?.type === 'approve'
    ? yield* keepHeld(context, { call, tool }, signal)
    : undefined
}

/**
 * Holds a run that nobody would have been asked about, when a rule or a setting asks about what it did. Undefined when
 * its result is to be stored in the usual way.
 */
export async function* holdIfAsked(
  context: LoopContext,
  ran: RanCall,
  ground: Ground,
  signal: AbortSignal,
): LoopSteps<'stored' | 'held' | undefined> {
  const { deny, ask } = context.branch.rules()
  const hasRules = [...deny, ...ask].some(isAboutEffects)
  if (!hasRules && (await objectionTo(context, ran))?.kind !== 'ask') return undefined
  const verdict = await judgeRun(context, ran, { ground, ranAgain: null })
  if (verdict.kind === 'keep' || verdict.kind === 'open') return undefined
  return yield* settle(context, ran, verdict, signal)
}

type Verdict =
  /** A rule denies it, so the call fails. */
  | { readonly kind: 'denied'; readonly ran: RanCall }
  /** A rule asks, a rule allows, or nothing is said about what it did. */
  | { readonly kind: 'ask' | 'keep' | 'open'; readonly entry: EntryBody }

/** What rules and settings say about what a call did. */
async function judgeRun(context: LoopContext, ran: RanCall, { ground, ranAgain }: HoldOptions): Promise<Verdict> {
  const objection = await objectionTo(context, ran)
  if (objection?.kind === 'refuse') return { kind: 'denied', ran }
  const held = await recordHeld(context, ran, ground, ranAgain)
  const entry: EntryBody = { type: 'effects.held', callId: ran.call.callId, held }
  const rule = judgeEffects(context, await effectsOfHeld(context, held, ground.tree))
  if (rule?.effect === 'deny') return { kind: 'denied', ran: { ...ran, output: failedOutput(deniedText(rule.text)) } }
  if (objection !== undefined || rule?.effect === 'ask') return { kind: 'ask', entry }
  // What ran on top of held calls counts only when they do.
  return { kind: rule?.effect === 'allow' && ground.after === null ? 'keep' : 'open', entry }
}

function deniedText(rule: string): string {
  return `None of its changes were kept. Denied by the rule ${rule}. Do not try it in another way; choose other means or ask the user.`
}

/** The run as failed when a rule denies what it did, although somebody approved it. Undefined when no rule does. */
export async function denyByRule(context: LoopContext, ran: RanCall, ground: Ground): Promise<RanCall | undefined> {
  if (!deniesEffects(context)) return undefined
  return denyHeld(context, ran, await recordHeld(context, ran, ground, null), ground.tree)
}

function deniesEffects({ branch }: LoopContext): boolean {
  return branch.rules().deny.some(isAboutEffects)
}

/** The run as failed when a rule denies what `held` says of it. Undefined when no rule does. */
async function denyHeld(context: LoopContext, ran: RanCall, held: Outcome, tree: Tree): Promise<RanCall | undefined> {
  const rule = judgeEffects(context, await effectsOfHeld(context, held, tree))
  return rule?.effect === 'deny' ? { ...ran, output: failedOutput(deniedText(rule.text)) } : undefined
}

/** Stores what became of a run: a failed result, a result that is kept, or a run that waits for a person. */
async function* settle(
  context: LoopContext,
  ran: RanCall,
  verdict: Verdict,
  signal: AbortSignal,
): LoopSteps<'stored' | 'held'> {
  if (verdict.kind === 'denied') {
    yield withCheckpoint(context, finishCall(context, await reviewCall(context, verdict.ran, signal)))
    return 'stored'
  }
  yield [verdict.entry]
  return verdict.kind === 'keep' ? yield* keepHeld(context, ran, signal) : 'held'
}

/** Stores a held run's result and changes. When the branch is another one by now, it runs again and is shown again. */
async function* keepHeld(
  context: LoopContext,
  { call, tool }: PlannedCall,
  signal: AbortSignal,
): LoopSteps<'stored' | 'held'> {
  const now = context.thread().calls.get(call.callId)
  const held = now && openOutcome(now)
  if (!now || !held) return 'stored'
  const stale = staleReason(context, held)
  if (stale === null) {
    const taken = await takeUpHeld(context, now, tool, signal)
    // Only the part that a person keeps counts.
    const kept = { ...held, patch: taken.keeps ?? held.patch }
    const denied = deniesEffects(context) ? await denyHeld(context, taken, kept, context.branch.tree()) : undefined
    const reviewed = await reviewCall(context, denied ?? taken, signal)
    const stored = yield withCheckpoint(context, finishCall(context, reviewed))
    if (stored === 'stored') {
      const left = await reviewed.workspace.finishOutside()
      if (left !== undefined) yield [steerNoticeEntry(context.nextId() as MessageId, left)]
      return 'stored'
    }
  }
  if (mayReachHosts(context, now)) {
    const entry = finishedEntry(context, now, 'error', [{ type: 'text', text: notRepeated }], ticks(context.clock))
    yield withCheckpoint(context, [entry])
    return 'stored'
  }
  const ranAgain = stale ?? 'It ran again, because files that it changes were changed after it had run.'
  yield* holdOne(context, { call: asHeld(now), tool }, { ground: groundOf(context), ranAgain }, signal)
  return 'held'
}

/** True for a run whose second time could have a second effect somewhere else, and whose cut leaves its effect unknown. */
function mayReachHosts({ branch }: LoopContext, call: Call): boolean {
  return branch.hosts().length > 0 || grantedHosts(call).length > 0
}

const notRepeated =
  'It ran, and the files that it ran on changed before the user kept it, so nothing of it was kept. It was not run again by itself, because it may reach hosts. Call it again if it is still needed.'

/** The call with the arguments that ran when it was held. The decision about the earlier run is not one about this run. */
function asHeld(call: Call): Call {
  return { ...call, input: openOutcome(call)?.input ?? call.input, decision: null }
}
