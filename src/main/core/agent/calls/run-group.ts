import type { EntryFromTool } from '#shared/model/entry.ts'
import type { CallContext, LoopSteps } from './call-context.ts'
import { awaitedCall, changeOf, finishCall, reviewCall } from './finish-call.ts'
import type { JudgedPlan, PlannedCall } from './next-step.ts'
import { argumentsOf, concludeCall, runCall, startEntry } from './run-call.ts'
import { settleRun } from './settle-call.ts'

/**
 * Runs calls at the same time. Starts are stored before anything runs. Each result is stored with its changes, in the
 * model's order; results of neighbouring reads, which change nothing, are one commit. A command whose effects nobody
 * foresaw may have to wait for a person after all: it is kept back.
 */
export async function* runGroup(calls: CallContext, group: readonly JudgedPlan[], signal: AbortSignal): LoopSteps {
  const planned: (PlannedCall & { readonly drops: boolean })[] = []
  const started: EntryFromTool[] = []
  for (const one of group) {
    // What is dropped in any case can be run again after a crash.
    const drops = dropsAll(one)
    planned.push({ ...one, drops })
    started.push({ ...startEntry(one.call), ...(drops ? { holds: true as const } : await cutOf(calls, one)) })
  }
  yield started
  const ground = calls.branch.ground()
  const ran = await Promise.all(planned.map(({ call, tool, drops }) => runCall(calls, call, tool, signal, { drops })))
  yield ran.flatMap(({ call, output: { awaits } }) => (awaits ? [awaitedCall(calls, call, awaits)] : []))
  if (!ran.every(({ tool }) => tool.effect === 'read' && !tool.conclude)) {
    const facts = { kind: 'for good', ground, question: null, recorded: null, ranBefore: null, isNext: true } as const
    for (const one of ran) {
      if (one.output.awaits) continue
      const concluded = await concludeCall(one, (ended) => calls.stillApplies(changeOf(calls, ended)), signal)
      yield* settleRun(calls, { ...facts, ran: concluded }, signal)
    }
    return
  }
  const reviewed = await Promise.all(ran.map((one) => reviewCall(calls, one, signal)))
  yield calls.withCheckpoint(reviewed.flatMap((one) => finishCall(calls, one)))
}

/** What a crash makes of a run that counts. What was found out when the call was judged holds while it is fresh. */
async function cutOf(calls: CallContext, { call, tool, known }: JudgedPlan): Promise<{ readonly outside?: true }> {
  if (tool.effect === 'outside') return { outside: true }
  const access = known?.isFresh ? known.access : await calls.accessOf(tool, argumentsOf(call))
  return calls.realFileReason(access) ? { outside: true } : {}
}

/** True in the mode Plan, where a command runs and nothing that it changes is kept. */
function dropsAll({ known }: JudgedPlan): boolean {
  const verdict = known?.verdict
  return verdict?.kind === 'drop' || (verdict?.kind === 'ask' && verdict.drops === true)
}
