import type { EntryFromTool } from '#shared/model/entry.ts'
import { type CallContext, type LoopSteps, withCheckpoint } from './call-context.ts'
import { changeOf, finishCall, reviewCall, storeResult } from './finish-call.ts'
import { failRefused, judgeRun } from './judge-call.ts'
import type { JudgedPlan } from './next-step.ts'
import { groundOf, keptBack, recordOutcome } from './record-outcome.ts'
import { argumentsOf, concludeCall, isApproved, type RanCall, runCall, startEntry } from './run-call.ts'

/**
 * Runs calls at the same time. Starts are stored before anything runs. Each result is stored with its changes, in the
 * model's order; results of neighbouring reads, which change nothing, are one commit. A command whose effects nobody
 * foresaw may have to wait for a person after all: it is kept back.
 */
export async function* runGroup(calls: CallContext, group: readonly JudgedPlan[], signal: AbortSignal): LoopSteps {
  const started: EntryFromTool[] = []
  for (const one of group) started.push({ ...startEntry(one.call), ...(await cutOf(calls, one)) })
  yield started
  const ground = groundOf(calls)
  const ran = await Promise.all(group.map(({ call, tool }) => runCall(calls, call, tool, signal)))
  if (ran.every(({ tool }) => tool.effect === 'read' && !tool.conclude)) {
    const reviewed = await Promise.all(ran.map((one) => reviewCall(calls, one, signal)))
    yield withCheckpoint(
      calls,
      reviewed.flatMap((one) => finishCall(calls, one)),
    )
    return
  }
  for (const [index, one] of ran.entries()) {
    const concluded = await concludeCall(one, (ended) => calls.stillApplies(changeOf(calls, ended)), signal)
    const counted = dropsAll(group[index]) ? withoutEffects(concluded) : concluded
    const facts = { ground, question: null, isApproved: isApproved(one.call), isTried: false }
    const verdict = await judgeRun(calls, counted, facts, signal)
    if (verdict.kind === 'ask' && one.tool.runsAside?.(argumentsOf(one.call)) && one.tool.access.command !== null)
      yield [keptBack(one.call, await recordOutcome(calls, counted, ground, null))]
    else yield* storeResult(calls, await failRefused(calls, counted, verdict), signal)
  }
}

/** What a crash makes of the run. What is dropped in any case can be run again after it. */
async function cutOf(calls: CallContext, one: JudgedPlan): Promise<{ readonly holds?: true; readonly outside?: true }> {
  if (dropsAll(one)) return { holds: true }
  const { call, tool } = one
  const isOutside = tool.effect === 'outside' || calls.realFileReason(await calls.accessOf(tool, argumentsOf(call)))
  return isOutside ? { outside: true } : {}
}

/** True in the mode Plan, where a command runs and nothing that it changes is kept. */
function dropsAll(one: JudgedPlan | undefined): boolean {
  const verdict = one?.known?.verdict
  return verdict?.kind === 'drop' || (verdict?.kind === 'ask' && verdict.drops === true)
}

function withoutEffects(ran: RanCall): RanCall {
  if (!ran.output.ok) return { ...ran, isDropped: true }
  const note = { type: 'text', text: droppedText } as const
  const { entries: _, declares: __, ...output } = ran.output
  return { ...ran, output: { ...output, content: [...output.content, note] }, isDropped: true }
}

const droppedText = 'Plan mode: it ran, and nothing that it changed was kept.'
