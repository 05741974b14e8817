import type { Outcome } from '#shared/model/calls/outcome.ts'
import { shownName } from '#shared/text/control-characters.ts'
import type { FileEffect } from '../../approval/effects.ts'
import { isAboutEffects, judgedEffects } from '../../approval/effects-rules.ts'
import type { JudgedCall, Question, Verdict } from '../../approval/policy.ts'
import { failedOutput } from '../../tools/tool.ts'
import type { Ground } from '../../trial/outcome.ts'
import type { CallContext, Commit, LoopSteps } from './call-context.ts'
import { changeOf, storeResult } from './finish-call.ts'
import { describeCall, isTriedEdit } from './judge-call.ts'
import { type RanBefore, recordOutcome, showEffects } from './record-outcome.ts'
import { argumentsOf, isApproved, type RanCall, startEntry } from './run-call.ts'

/** A run that has ended and counts for nothing yet. */
export interface EndedRun {
  readonly ran: RanCall
  /**
   * `for good`: it was let run so that what it does counts, and the journal has its start. `aside`: nobody has seen what it
   * did. `seen`: a person has, and keeps it.
   */
  readonly kind: 'for good' | 'aside' | 'seen'
  /** What the run began with. */
  readonly ground: Ground
  /** What a person is asked although nothing speaks against what it did. Null for nothing. */
  readonly question: Question | null
  /** What it did, where that was recorded before, and the part of it that counts. Null for a run of just now. */
  readonly recorded: { readonly outcome: Outcome; readonly part: Outcome } | null
  /** Null for a first run. */
  readonly ranBefore: RanBefore | null
  /** True when every call before it has its result. */
  readonly isNext: boolean
}

/** What became of a run. */
export type Settled =
  /** Its result is stored. */
  | { readonly kind: 'finished' }
  /** It waits for a person. */
  | { readonly kind: 'kept back'; readonly question: Question }
  /** Nobody needs to see it, and calls before it come first. Nothing of it is stored. */
  | { readonly kind: 'passed'; readonly outcome: Outcome }
  /** The branch is another one than it ran on, so what was recorded must run again. Nothing is stored. The reason is a sentence. */
  | { readonly kind: 'moved on'; readonly reason: string }

/** Judges what a call did: it counts, it fails, or it waits for a person. */
export async function* settleRun(calls: CallContext, ended: EndedRun, signal: AbortSignal): LoopSteps<Settled> {
  const { ran, kind, recorded, isNext } = ended
  const { verdict, outcome } = await judgeRun(calls, ended, signal)
  if (verdict.kind === 'ask' && outcome !== null) {
    yield [keptBack(ran, outcome)]
    return { kind: 'kept back', question: verdict }
  }
  const isRefused = verdict.kind === 'refuse' || verdict.kind === 'ask'
  const isTrial = !isRefused && kind !== 'for good' && outcome !== null
  if (isTrial && !isNext) return { kind: 'passed', outcome }
  const before = isTrial ? countedBefore(ended, outcome) : []
  const counted = isRefused ? { ...ran, output: failedOutput(await refusedText(calls, ran, verdict)) } : ran
  const answersOvertaken = isRefused || recorded === null
  const stored = yield* storeResult(calls, counted, signal, { before, answersOvertaken })
  return stored === 'stored' || answersOvertaken ? { kind: 'finished' } : { kind: 'moved on', reason: movedOn }
}

const movedOn = 'It ran again, because files that it changes were changed after it had run.'

/** What the call did waits: none of it counts before a person, a rule or its turn keeps it. */
function keptBack({ call: { callId } }: Pick<RanCall, 'call'>, outcome: Outcome): Commit[number] {
  return { type: 'effects.held', callId, held: outcome }
}

/** What the journal says before the result of a trial that counts: an edit starts only then, a command was kept back. */
function countedBefore({ ran: { call, tool }, kind }: EndedRun, outcome: Outcome): Commit {
  if (isTriedEdit(call, tool)) return [{ ...startEntry(call), input: outcome.input }]
  return kind === 'seen' ? [] : [keptBack({ call }, outcome)]
}

interface JudgedRun {
  readonly verdict: Verdict
  /** What the call did. Null where no verdict lets it wait: it was let run for good, and did nothing that asks. */
  readonly outcome: Outcome | null
}

/**
 * What the same rules say about what a call did. A call that was not tried has passed its mode, and a person who let it
 * run let it change files that ask.
 */
async function judgeRun(
  calls: CallContext,
  { ran, kind, ground, question, recorded, ranBefore }: EndedRun,
  signal: AbortSignal,
): Promise<JudgedRun> {
  const { call, tool, workspace, output } = ran
  // An edit that was tried is judged as if its effects had been known before.
  const isEdit = kind === 'aside' && isTriedEdit(call, tool)
  // There is nothing to decide about what changed nothing, so the agent reads why.
  const isSettled = ran.isDropped === true || (isEdit && !output.ok)
  const change = changeOf(calls, ran)
  const effects = isSettled ? [] : await calls.effectsOf(workspace, change, isEdit)
  const { deny, ask, allow } = calls.branch.rules()
  const isByEffects = !isSettled && isCommandAside(ran) && [...deny, ...ask, ...allow].some(isAboutEffects)
  const mayWait = kind !== 'for good' || isByEffects || (effects.length > 0 && isCommandAside(ran))
  const outcome = recorded?.outcome ?? (mayWait ? await recordOutcome(calls, ran, ground, ranBefore) : null)
  const part = recorded?.part ?? outcome
  const shown = isByEffects && part !== null ? await showEffects(calls, part, ground.tree) : null
  const command = shown && judgedEffects(shown)
  const isPlain = effects.length === 0 && command === null && question === null && !isEdit
  if (isPlain || isSettled) return { verdict: { kind: 'run' }, outcome }
  const judged: JudgedCall = isEdit
    ? await describeCall(calls, call, tool, signal)
    : { tool, access: await calls.accessOf(tool, argumentsOf(call)), mode: 'auto' }
  const did = {
    ...{ command, question, isOnTop: ground.after !== null },
    changedNothing: effects.length === 0 && change.length === 0 && (output.declares ?? []).length === 0,
    // What a subagent changed was asked about when the subagent changed it.
    isApproved: kind === 'seen' || (kind === 'for good' && isApproved(call)) || tool.effect === 'agents',
  }
  return { verdict: calls.judge({ ...judged, effects, outcome: did }), outcome }
}

/** True for a command that the sandbox confines. What it did can wait, whatever let it run. */
function isCommandAside({ call, tool }: RanCall): boolean {
  return tool.access.command !== null && (tool.runsAside?.(argumentsOf(call)) ?? false)
}

/** What the agent reads about a run that is refused, or that asks although nobody can be asked about it any more. */
async function refusedText(
  calls: CallContext,
  ran: RanCall,
  verdict: Extract<Verdict, { kind: 'refuse' | 'ask' }>,
): Promise<string> {
  const changed = changedText(await calls.effectsOf(ran.workspace, changeOf(calls, ran), true))
  return verdict.kind === 'refuse'
    ? `None of its changes were kept. ${changed}${verdict.message}`
    : `None of its changes were kept, because one of them needs the user’s approval (${verdict.rule}). ${changed}Use the file tools for it, which ask.`
}

function changedText(effects: readonly FileEffect[]): string {
  if (effects.length === 0) return ''
  const named = effects.slice(0, 10).map(({ path }) => shownName(path))
  return `It changed ${named.join(', ')}${effects.length > 10 ? ` and ${effects.length - 10} more` : ''}. `
}
