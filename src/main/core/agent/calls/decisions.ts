import type { ZodType } from 'zod'
import { defineError } from '#shared/base/define-error.ts'
import { isAsking } from '#shared/model/calls/call.ts'
import type { ActionRequest, Decision } from '#shared/model/calls/interrupt.ts'
import type { InterruptId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { isWithin } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { argumentProblems } from './run-call.ts'

export const DecisionError = defineError<'not_found' | 'already_decided' | 'invalid'>('DecisionError')
export type DecisionError = InstanceType<typeof DecisionError>

/**
 * The first problem with decisions on an interrupt; undefined when there is none. Each request takes one decision,
 * once, of a kind that it allows. `schemaOf` knows the arguments of tools; an edit for another tool is not checked.
 */
export function decisionProblem(
  thread: ThreadState,
  interruptId: InterruptId,
  decisions: readonly Decision[],
  schemaOf: (tool: string) => ZodType | undefined,
): DecisionError | undefined {
  const interrupt = thread.interrupts.find(({ id }) => id === interruptId)
  if (!interrupt)
    return new DecisionError('already_decided', 'This approval was already decided elsewhere, or its run was stopped.')
  if (new Set(decisions.map(({ callId }) => callId)).size < decisions.length) {
    return new DecisionError('invalid', 'Two decisions name the same call. Give each call one decision.')
  }
  for (const decision of decisions) {
    const review = interrupt.review_configs.find(({ callId }) => callId === decision.callId)
    if (!review) return new DecisionError('not_found', `The call ${decision.callId} is not part of this approval.`)
    if (!isAsking(thread.calls.get(decision.callId))) {
      return new DecisionError('already_decided', 'This call was already decided elsewhere.')
    }
    if (!review.allowed_decisions.includes(decision.type)) {
      return new DecisionError(
        'invalid',
        `${review.action_name} can be answered with ${review.allowed_decisions.join(', ')}, not ${decision.type}.`,
      )
    }
    if ('hosts' in decision && decision.hosts && findToolFacts(review.action_name).access.command === null)
      return new DecisionError('invalid', 'Hosts can be granted only to execute.')
    if ('mode' in decision && decision.mode && !findToolFacts(review.action_name).isPlan)
      return new DecisionError('invalid', 'A mode can be chosen only with a plan. Leave "mode" out.')
    const request = interrupt.action_requests.find(({ callId }) => callId === decision.callId)
    const problem =
      outcomeProblem(decision, request) ??
      answerProblem(decision, request) ??
      editProblem(decision, review.action_name, schemaOf)
    if (problem !== undefined) return new DecisionError('invalid', problem)
  }
  return undefined
}

/** What is wrong with the parts of a decision that are about what the call did. */
function outcomeProblem(decision: Decision, request: ActionRequest | undefined): string | undefined {
  const effects = request?.effects
  if (decision.type === 'edit' && decision.hold && !findToolFacts(request?.name ?? '').runsAside?.(decision.args))
    return 'Only what stays aside can be shown again before it counts. Leave "hold" out.'
  if (decision.type !== 'approve') return undefined
  if (effects && (decision.hosts?.length ?? 0) > 0)
    return 'This call has run already. To let it reach hosts, decide "edit" with the same arguments and the hosts.'
  if (decision.paths === undefined) return undefined
  if (!effects) return 'Files can be chosen only of a call that has run. Leave "paths" out.'
  const { written, deleted, renamed } = effects.changes
  const changed = [...written, ...deleted, ...renamed.flatMap(({ from, to }) => [from, to])]
  const missing = decision.paths.find((path) => !changed.some((one) => isWithin(one, path)))
  if (missing === undefined) return undefined
  const names = changed.slice(0, 20).map(shownName).join(', ') || 'no file'
  return `The call did not change ${shownName(missing)}. It changed ${names}${changed.length > 20 ? ` and ${changed.length - 20} more` : ''}.`
}

/** What is wrong with the answer of an external agent that a decision chooses. */
function answerProblem(decision: Decision, request: ActionRequest | undefined): string | undefined {
  if (!('answer' in decision) || decision.answer === undefined) return undefined
  const { type, answer } = decision
  const fitting = request?.answers?.filter(({ allows }) => allows === (type === 'approve')) ?? []
  if (fitting.some(({ id }) => id === answer)) return undefined
  const named = JSON.stringify(shownName(answer))
  if (fitting.length === 0) return `The call offers no answers to ${type} it with. Leave "answer" out.`
  const names = fitting.map(({ id }) => shownName(id)).join(', ')
  return `The call offers no answer ${named} to ${type} it with. It offers ${names}.`
}

function editProblem(
  decision: Decision,
  tool: string,
  schemaOf: (tool: string) => ZodType | undefined,
): string | undefined {
  if (decision.type !== 'edit') return undefined
  const parsed = schemaOf(tool)?.safeParse(decision.args)
  if (!parsed || parsed.success) return undefined
  return `The edited arguments do not fit ${tool}: ${argumentProblems(parsed.error.issues)}`
}
