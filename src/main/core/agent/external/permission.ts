import type { Call } from '#shared/model/calls/call.ts'
import type { PermissionOption } from '../../ports/programs/external-agent.ts'
import type { Tool } from '../../tools/tool.ts'
import type { CallContext, LoopSteps } from '../calls/call-context.ts'
import { describeInterrupt } from '../calls/describe-interrupt.ts'
import { describeCall } from '../calls/judge-call.ts'
import { isApproved } from '../calls/run-call.ts'
import { judgedAs } from './external-calls.ts'

export type Permission =
  | { readonly kind: 'allowed' }
  /** The reason is for the agent and people. */
  | { readonly kind: 'refused'; readonly reason: string }

/** Answers an agent that asks whether it may make a call: by the rules and the mode, and else by a person. */
export async function* givePermission(
  context: CallContext,
  call: Call,
  tool: Tool,
  signal: AbortSignal,
): LoopSteps<Permission> {
  const described = await describeCall(context, call, tool, signal)
  const verdict = context.judge({ ...described, tool: judgedAs(tool.name), runsAside: false })
  if (verdict.kind === 'refuse') return { kind: 'refused', reason: verdict.message }
  if (verdict.kind === 'drop')
    return { kind: 'refused', reason: 'Plan mode: nothing may be changed. Present the plan.' }
  if (verdict.kind !== 'ask') return { kind: 'allowed' }
  const { callId } = call
  // The agent asks about what it does itself, so nobody can change it.
  const question = { ...verdict, allowed: verdict.allowed.filter((one) => one !== 'edit') }
  const known = {
    verdict: question,
    access: described.access,
    isFresh: true,
    passed: null,
    asks: null,
    waitsForOthers: false,
  }
  const asked = [{ call, tool, known, changedBefore: new Set<never>() }]
  yield [{ type: 'interrupt.raised', interrupt: await describeInterrupt(context, asked, signal) }]
  await context.untilDecided(signal)
  const decided = context.thread().calls.get(callId)
  if (decided && isApproved(decided)) return { kind: 'allowed' }
  const message = decided?.decision && 'message' in decided.decision ? decided.decision.message : undefined
  return { kind: 'refused', reason: message ?? 'The user rejected it.' }
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
