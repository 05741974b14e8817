import { failure, type Result, success } from '#shared/base/result.ts'
import { attemptsTool } from '#shared/model/calls/attempts.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import { batchRows } from '#shared/model/derived/batch.ts'
import type { EntryOf } from '#shared/model/entry.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { openCalls, type ThreadState } from '#shared/model/thread.ts'
import { maxTasks } from '../../tools/delegate/declared-tasks.ts'
import { DecisionError } from '../calls/decisions.ts'
import type { AgentServices } from '../types/services.ts'

/** What a person wants to be different in a running batch. Absent for what stays. */
export interface BatchWish {
  /** How many tasks run at once. */
  readonly concurrency?: number
  /** US dollars; null for the limit of the settings. */
  readonly cost?: number | null
  /** Tasks to be run behind all others. */
  readonly add?: readonly { readonly description: string; readonly id?: string; readonly type?: string }[]
  /** Indexes of tasks that have not started. `queued` means all of them. */
  readonly drop?: readonly number[] | 'queued'
}

/** The change to store, or why it cannot be. The settings stay the person's own limit. */
export function planBatchChange(
  services: AgentServices,
  thread: ThreadState,
  callId: ToolCallId,
  { concurrency, cost, add, drop }: BatchWish,
): Result<Pick<EntryOf<'batch.changed'>, 'concurrency' | 'cost' | 'add' | 'drop'>, DecisionError> {
  const call = thread.calls.get(callId)
  const { batchConcurrency, budgets } = services.settings()
  const refuse = (message: string) => failure(new DecisionError('invalid', message))
  if (!call?.batch) return failure(new DecisionError('not_found', `The call ${callId} is not a batch.`))
  if (resultOf(call) !== null) return refuse('The batch has ended, so there is nothing left to change.')
  if (concurrency !== undefined && concurrency > batchConcurrency)
    return refuse(`Your settings allow ${batchConcurrency} at once (batch_concurrency). Change it there first.`)
  if (call.name === attemptsTool && (add !== undefined || drop !== undefined))
    return refuse(
      'Attempts at one task are begun together, so none can be added or taken out. Stop one on its own screen.',
    )
  const most = budgets.batch.cost
  if (cost !== undefined && cost !== null && most !== null && cost > most)
    return refuse(`Your settings allow $${most.toFixed(2)} for a batch (budgets.batch.cost). Change it there first.`)
  const rows = batchRows(services.log.state, thread.id, callId)
  if (rows.length + (add?.length ?? 0) > maxTasks) return refuse(`A batch has at most ${maxTasks} tasks.`)
  const queued = rows.flatMap(({ index, status }) => (status === 'queued' ? [index] : []))
  const dropped = drop === 'queued' ? queued : drop
  const late = dropped?.find((index) => !queued.includes(index))
  if (late !== undefined) return refuse(`Task ${late + 1} has started or ended already, so it cannot be dropped.`)
  return success({
    ...(concurrency !== undefined && { concurrency }),
    ...(cost !== undefined && { cost }),
    ...(add && add.length > 0 && { add: add.map((task) => ({ ...task })) }),
    ...(dropped && dropped.length > 0 && { drop: [...new Set(dropped)] }),
  })
}

export const busy = new DecisionError('invalid', 'The agent is working. Wait until it is done, or stop it first.')

/** Why a batch cannot be retried now; undefined when it can. */
export function retryProblem(state: ProjectState, thread: ThreadState, callId: ToolCallId): DecisionError | undefined {
  const call = thread.calls.get(callId)
  if (!call?.batch) return new DecisionError('not_found', `The call ${callId} is not a batch.`)
  if (call.name === attemptsTool)
    return new DecisionError(
      'invalid',
      'Attempts are not tried again one by one, because they began at one tree. Try the message again.',
    )
  if (openCalls(thread).length > 0)
    return new DecisionError('invalid', 'The agent has calls without a result. Continue or stop it first.')
  if (batchRows(state, thread.id, callId).every(({ status, isDropped }) => status === 'ok' || isDropped))
    return new DecisionError('invalid', 'Every task of this batch succeeded; there is nothing to try again.')
  return undefined
}

/** The result of the call is replaced in place, so the agent must learn that it changed. */
export const retryNotice =
  'The user had the unsuccessful tasks of the batch run again. The result of that call was replaced by a new one.'
