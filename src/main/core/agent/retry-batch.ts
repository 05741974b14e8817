import { batchRows } from '#shared/model/batch.ts'
import type { MessageId, ToolCallId } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { QueuedMessage, ThreadState } from '#shared/model/thread.ts'
import { unsettledCalls } from './conversation.ts'
import { DecisionError } from './decisions.ts'

export const busy = new DecisionError('invalid', 'The agent is working. Wait until it is done, or stop it first.')

/** Why a batch cannot be tried again now; undefined when it can. */
export function retryProblem(state: ProjectState, thread: ThreadState, callId: ToolCallId): DecisionError | undefined {
  if (!thread.calls.get(callId)?.batch) return new DecisionError('not_found', `The call ${callId} is no batch.`)
  if (unsettledCalls(thread).length > 0)
    return new DecisionError('invalid', 'The agent has calls without a result. Continue or stop it first.')
  if (batchRows(state, thread.id, callId).every(({ status }) => status === 'ok'))
    return new DecisionError('invalid', 'Every task of this batch ended well; there is nothing to try again.')
  return undefined
}

/** The result of the call is replaced in place, so the agent is told that it is another one than it read. */
export function retryNotice(messageId: MessageId): QueuedMessage {
  const text =
    'The user had the tasks of the batch that did not end well run again. The result of that call is the new one.'
  return { messageId, origin: 'notice', content: [{ type: 'text', text }], delivery: 'steer' }
}
