import { entriesWithin } from '#overlay'
import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { InterruptId } from '#shared/model/ids.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { changedScripts } from '../../approval/changed-scripts.ts'
import { outcomeQuestion, type Question } from '../../approval/policy.ts'
import { riskOfLeft } from '../../approval/risk.ts'
import { groundOnTop } from '../../trial/outcome.ts'
import type { CallContext } from './call-context.ts'
import type { AskedCall, KnownCall } from './next-step.ts'
import { showEffects } from './record-outcome.ts'

/** One interrupt about calls that wait to run and about outcomes that wait to count. */
export async function describeInterrupt(
  calls: CallContext,
  asked: readonly AskedCall[],
  signal: AbortSignal,
): Promise<Interrupt> {
  let ground = calls.branch.ground()
  const waiting: { readonly request: ActionRequest; readonly question: Question }[] = []
  for (const { call, tool, known, changedBefore } of asked) {
    const outcome = call.state.kind === 'kept back' ? call.state.outcome : null
    const plain = questionAbout(known)
    const question = { ...plain, ...riskOfLeft(plain.risk, outcome?.left) }
    const command = known?.access.command ?? null
    const files =
      command === null ? {} : await filesOfCommand(calls, { name: tool.name, command }, changedBefore, signal)
    const effects = outcome === null ? undefined : await showEffects(calls, outcome, ground.tree)
    waiting.push({
      question,
      request: {
        ...{ callId: call.callId, name: call.name, args: call.input, description: tool.describe(call.input) },
        ...{ rule: question.rule, risk: question.risk },
        ...(question.riskReason !== undefined && { riskReason: question.riskReason }),
        ...(call.staged?.changed && { changed: call.staged.changed }),
        ...(question.allowable === false && { allowable: question.allowable }),
        ...{ ...files, ...(effects && { effects }) },
      },
    })
    if (outcome !== null) ground = groundOnTop(ground, call.callId, outcome)
  }
  return {
    ...{ id: calls.nextId() as InterruptId, threadId: calls.threadId, agent: calls.thread().agent },
    action_requests: waiting.map(({ request }) => request),
    review_configs: waiting.map(({ request: { callId, name }, question }) => ({
      callId,
      ...{ action_name: name, allowed_decisions: question.allowed },
    })),
  }
}

/** The question about a call that waits. After a restart nobody knows any more why one was kept back, so it is plain. */
function questionAbout(known: KnownCall | undefined): Question {
  const verdict = known?.verdict
  if (verdict?.kind === 'ask') return verdict
  return known?.asks ?? (verdict?.kind === 'try' ? verdict.question : null) ?? outcomeQuestion
}

const mostFilesOnCard = 50

/**
 * What a person cannot see in a command line: which of the files it runs agents changed, or will change before it, and
 * what the project's setup has made for it.
 */
async function filesOfCommand(
  calls: CallContext,
  { name, command }: { readonly name: string; readonly command: string },
  changedBefore: ReadonlySet<VirtualPath>,
  signal: AbortSignal,
): Promise<Pick<ActionRequest, 'changedBefore' | 'scripts' | 'environment'>> {
  const { before } = await calls.openWorkspace(signal, { approved: false, written: [] })
  const changed = [...entriesWithin(before, rootPath)].flatMap(([path, { node }]) =>
    node && node.kind !== 'directory' ? [path] : [],
  )
  const scripts = changedScripts(command, new Set([...changed, ...changedBefore]))
  const environment = findToolFacts(name).opensView ? await calls.describeEnvironment() : null
  return {
    ...(environment !== null && { environment }),
    ...(changedBefore.size > 0 && { changedBefore: [...changedBefore].slice(0, mostFilesOnCard) }),
    ...(scripts.length > 0 && { scripts: scripts.slice(0, mostFilesOnCard) }),
  }
}
