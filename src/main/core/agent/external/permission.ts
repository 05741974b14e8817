import type { Call } from '#shared/model/calls/call.ts'
import type { Interrupt, OfferedAnswer } from '#shared/model/calls/interrupt.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { ruledBy } from '#shared/tools/tool-facts.ts'
import type { PermissionOption } from '../../ports/programs/external-agent.ts'
import type { Tool } from '../../tools/tool.ts'
import { askBefore } from '../calls/ask-stages.ts'
import type { CallContext, LoopSteps } from '../calls/call-context.ts'
import { describeInterrupt } from '../calls/describe-interrupt.ts'
import { describeCall, type Judgement, withStages } from '../calls/judge-call.ts'
import { isApproved } from '../calls/run-call.ts'

/** `answer`: the option that a person chose; null for the one that says this once. */
export type Permission =
  | { readonly kind: 'allowed'; readonly answer: string | null }
  /** The reason is for the agent and people. */
  | { readonly kind: 'refused'; readonly reason: string; readonly answer: string | null }

/**
 * Answers an agent that asks whether it may make a call: by the rules and the mode, and else by a person, who may choose one
 * of its options by name.
 */
export async function* givePermission(
  context: CallContext,
  call: Call,
  tool: Tool,
  { options, signal }: { readonly options: readonly PermissionOption[]; readonly signal: AbortSignal },
): LoopSteps<Permission> {
  const { callId } = call
  const judge = () => judgeTheirs(context, context.thread().calls.get(callId) ?? call, tool, signal)
  yield* askBefore(context, [{ call, tool }], signal)
  let { verdict, access } = await judge()
  if (verdict.kind === 'ask') {
    const asked = [{ call: context.thread().calls.get(callId) ?? call, tool }]
    if (yield* askBefore(context, asked, signal, 'PermissionRequest')) ({ verdict, access } = await judge())
  }
  if (verdict.kind === 'refuse') return { kind: 'refused', reason: verdict.message, answer: null }
  if (verdict.kind === 'drop')
    return { kind: 'refused', reason: 'Plan mode: nothing may be changed. Present the plan.', answer: null }
  if (verdict.kind !== 'ask') return { kind: 'allowed', answer: null }
  // The agent asks about what it does itself, so nobody can change it.
  const question = { ...verdict, allowed: verdict.allowed.filter((one) => one !== 'edit') }
  const known = {
    verdict: question,
    access,
    isFresh: true,
    passed: null,
    asks: null,
    waitsForOthers: false,
  }
  const asked = [{ call, tool, known, changedBefore: new Set<never>() }]
  const interrupt = withAnswers(await describeInterrupt(context, asked, signal), options)
  yield [{ type: 'interrupt.raised', interrupt }]
  await context.untilDecided(signal)
  const decided = context.thread().calls.get(callId)
  const decision = decided?.decision
  const answer = (decision && 'answer' in decision ? decision.answer : undefined) ?? null
  if (decided && isApproved(decided)) return { kind: 'allowed', answer }
  const message = decision && 'message' in decision ? decision.message : undefined
  return { kind: 'refused', reason: message ?? 'The user rejected it.', answer }
}

/** What rules, the mode and stages say of the call of another agent. */
async function judgeTheirs(context: CallContext, call: Call, tool: Tool, signal: AbortSignal): Promise<Judgement> {
  const described = await describeCall(context, call, tool, signal)
  const verdict = context.judge({ ...described, tool: ruledBy(tool.name), runsAside: false })
  return { verdict: withStages(verdict, call), access: described.access }
}

/** Answers that are shown, and characters of the id and the name of each. */
const mostAnswers = 20
const mostId = 1_000
const mostName = 200

/** With the answers that the agent offers, in its order and each once. */
function withAnswers(interrupt: Interrupt, options: readonly PermissionOption[]): Interrupt {
  const fitting = options.slice(0, mostAnswers).filter(({ id }) => id.length <= mostId)
  const once = fitting.filter(({ id }, at) => fitting.findIndex((one) => one.id === id) === at)
  const answers = once.map(({ id, name, kind }): OfferedAnswer => {
    const shown = beginningOf(oneLine(beginningOf(name, mostName)), mostName).trim()
    return { id, name: shown || kind, allows: kind.startsWith('allow'), remembered: kind.endsWith('always') }
  })
  if (answers.length === 0) return interrupt
  return { ...interrupt, action_requests: interrupt.action_requests.map((request) => ({ ...request, answers })) }
}

/**
 * The agent's option that says this once. What a person wants to hold for longer is a rule of the app, so that it holds for
 * every agent and can be taken back.
 */
export function optionFor(options: readonly PermissionOption[], isAllowed: boolean): string | null {
  const kinds = isAllowed ? (['allow_once', 'allow_always'] as const) : (['reject_once', 'reject_always'] as const)
  for (const kind of kinds) {
    const option = options.find((one) => one.kind === kind)
    if (option) return option.id
  }
  return null
}
