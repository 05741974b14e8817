import { shownName } from '#shared/base/control-characters.ts'
import { type Call, openOutcome } from '#shared/model/calls/call.ts'
import type { Outcome } from '#shared/model/calls/outcome.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { CallAccess } from '#shared/tools/tool-facts.ts'
import type { FileEffect } from '../../approval/effects.ts'
import { isAboutEffects, judgedEffects } from '../../approval/effects-rules.ts'
import type { JudgedCall, Question, Verdict } from '../../approval/policy.ts'
import { BaseTreeError } from '../../ports/base-tree.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import { isSecret } from '../../secrets/judge-secret.ts'
import { secretContentBytes } from '../../secrets/secret-files.ts'
import { failedOutput, type Tool } from '../../tools/tool.ts'
import type { Ground } from '../../trial/outcome.ts'
import type { CallContext } from './call-context.ts'
import { changeOf } from './finish-call.ts'
import { recordOutcome } from './record-outcome.ts'
import { argumentProblems, argumentsOf, type RanCall } from './run-call.ts'
import { showEffects } from './show-effects.ts'

/** What the rules, the settings and the user's own stages say about a call before it runs. */
export interface Judgement {
  readonly verdict: Verdict
  /** The files of the call, as written and as their links lead. */
  readonly access: CallAccess
}

export async function judgeCall(calls: CallContext, call: Call, tool: Tool, signal: AbortSignal): Promise<Judgement> {
  const args = argumentsOf(call)
  const parsed = tool.schema.safeParse(args)
  if (!parsed.success) {
    const message = `Invalid arguments for ${call.name}: ${argumentProblems(parsed.error.issues)}`
    return { verdict: { kind: 'refuse', message }, access: await calls.accessOf(tool, args) }
  }
  const question = await describeCall(calls, call, tool, signal)
  const { access, runsAside = false } = question
  // A person has seen what it did and let it count. Only a rule that denies it now may still say no.
  const isSeen = openOutcome(call) !== null && call.decision?.type === 'approve'
  const verdict = calls.judge(isSeen ? { ...question, mode: 'auto' } : question)
  if (verdict.kind === 'refuse' || isSeen) return { verdict, access }
  const staged = await calls.stages.judgeCall(call, args, signal)
  if (staged === undefined || (staged.kind === 'ask' && verdict.kind === 'ask')) return { verdict, access }
  // An edit that a stage asks about is tried like any other that somebody is asked about.
  const isTried = staged.kind === 'ask' && runsAside && access.command === null && question.mustAsk === undefined
  return { verdict: isTried ? { kind: 'try', question: staged } : staged, access }
}

/** The call as the rules judge it. */
async function describeCall(calls: CallContext, call: Call, tool: Tool, signal: AbortSignal): Promise<JudgedCall> {
  const args = argumentsOf(call)
  const access = await calls.accessOf(tool, args)
  const parsed = tool.schema.safeParse(args)
  const own = parsed.success ? tool.mustAsk?.(parsed.data, calls.threadId) : undefined
  return {
    ...{ tool, access, mode: calls.approvalMode(), mustAsk: own ?? calls.realFileReason(access) },
    ...{ holdsSecret: await findSecretRead(calls, access, signal), runsAside: tool.runsAside?.(args) ?? false },
    effects: await calls.foreseeEffects(call, tool, signal),
  }
}

/** What else is known about a run when it is judged. */
export interface RunFacts {
  /** What the run began with. */
  readonly ground: Ground
  /** What a person is asked although nothing speaks against what it did. Null for nothing. */
  readonly question: Question | null
  /** True when a person saw the call and let it run for good, or saw what it did. */
  readonly isApproved: boolean
  /** True for a run aside. An edit is then judged as if its effects had been known before. */
  readonly isTried: boolean
  /** What counts of the run, where that is not all of it. */
  readonly outcome?: Outcome
}

/**
 * What the same rules say about what a call did. A call that was not tried has passed its mode, and a person who let it
 * run let it change files that ask.
 */
export async function judgeRun(
  calls: CallContext,
  ran: RanCall,
  facts: RunFacts,
  signal: AbortSignal,
): Promise<Verdict> {
  const { call, tool, workspace, output } = ran
  const { ground, question } = facts
  const isEdit = facts.isTried && isTriedEdit(call, tool)
  // There is nothing to decide about what changed nothing, so the agent reads why.
  if (ran.isDropped || (isEdit && !output.ok)) return { kind: 'run' }
  const change = changeOf(calls, ran)
  const effects = await calls.effectsOf(workspace, change, isEdit)
  const command = judgesCommands(calls, ran) ? await commandEffects(calls, ran, facts) : null
  const isPlain = effects.length === 0 && command === null && question === null && !isEdit
  if (isPlain) return { kind: 'run' }
  const judged: JudgedCall = isEdit
    ? await describeCall(calls, call, tool, signal)
    : { tool, access: await calls.accessOf(tool, argumentsOf(call)), mode: 'auto' }
  const outcome = {
    ...{ command, question, isOnTop: ground.after !== null },
    changedNothing: effects.length === 0 && change.length === 0 && (output.declares ?? []).length === 0,
    // What a subagent changed was asked about when the subagent changed it.
    isApproved: facts.isApproved || tool.effect === 'agents',
  }
  return calls.judge({ ...judged, effects, outcome })
}

/** True for an edit or for code: what it does stays on the branch. */
export function isTriedEdit(call: Call, tool: Tool): boolean {
  return tool.access.command === null && (tool.runsAside?.(argumentsOf(call)) ?? false)
}

/** The run as failed, when its verdict refuses it, or asks about a call that nobody can be asked about any more. */
export async function failRefused(calls: CallContext, ran: RanCall, verdict: Verdict): Promise<RanCall> {
  if (verdict.kind !== 'refuse' && verdict.kind !== 'ask') return ran
  const effects = await calls.effectsOf(ran.workspace, changeOf(calls, ran), true)
  const text =
    verdict.kind === 'refuse'
      ? `None of its changes were kept. ${changedText(effects)}${verdict.message}`
      : `None of its changes were kept, because one of them needs the user’s approval (${verdict.rule}). ${changedText(effects)}Use the file tools for it, which ask.`
  return { ...ran, output: failedOutput(text) }
}

function changedText(effects: readonly FileEffect[]): string {
  if (effects.length === 0) return ''
  const named = effects.slice(0, 10).map(({ path }) => shownName(path))
  return `It changed ${named.join(', ')}${effects.length > 10 ? ` and ${effects.length - 10} more` : ''}. `
}

function judgesCommands({ branch }: CallContext, { call, tool }: RanCall): boolean {
  if (tool.access.command === null || !tool.runsAside?.(argumentsOf(call))) return false
  const { deny, ask, allow } = branch.rules()
  return [...deny, ...ask, ...allow].some(isAboutEffects)
}

async function commandEffects(calls: CallContext, ran: RanCall, { ground, ...facts }: RunFacts) {
  const outcome = facts.outcome ?? (await recordOutcome(calls, ran, ground, null))
  return judgedEffects(await showEffects(calls, outcome, ground.tree))
}

/**
 * The first file that the call would show and that holds a secret. Null when each of them was judged and none does;
 * a folder shows nothing by itself. Undefined when some could not be read, so that their names count.
 */
async function findSecretRead(
  calls: CallContext,
  { reads }: CallAccess,
  signal: AbortSignal,
): Promise<VirtualPath | null | undefined> {
  if (reads.length === 0) return undefined
  const { files } = await calls.openWorkspace(signal, { approved: true, written: [] })
  let isJudged = true
  for (const path of reads) {
    try {
      const range = { offset: 0, length: secretContentBytes }
      const plain = await files.readPlain(path, range)
      const kind = plain ? 'file' : (await files.stat(path))?.kind
      if (kind === 'file' && isSecret(path, plain ?? (await files.read(path, range)))) return path
      if (kind !== 'file' && kind !== 'directory') isJudged = false
    } catch (error) {
      // The tool itself says why a file cannot be read.
      if (!(error instanceof FileTreeError || error instanceof BaseTreeError)) throw error
      isJudged = false
    }
  }
  return isJudged ? null : undefined
}
