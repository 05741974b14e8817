import { isNonEmpty } from '#shared/base/non-empty.ts'
import { variantsOf } from '#shared/model/calls/attempts.ts'
import { type BatchRow, batchRows } from '#shared/model/derived/batch.ts'
import { chosenModel, type ThreadState } from '#shared/model/thread.ts'
import { commitAlways } from '../../journal/project-log.ts'
import type { SpawningCall } from '../../tools/delegate/delegation.ts'
import { forkDrafts, type PlannedTask, plannedTask } from '../delegation/subagents.ts'
import type { AgentServices } from '../types/services.ts'
import { resolveVariant } from './attempts-problem.ts'

/** Forks all attempts of a call from one tree, in one commit. After a restart they are there already, and nothing is forked. */
export function forkAttempts(services: AgentServices, call: SpawningCall, isPersons: boolean): void {
  const { log, ids } = services
  const parent = log.state.threads.get(call.threadId)
  const input = parent?.calls.get(call.callId)?.input
  const rows = batchRows(log.state, call.threadId, call.callId)
  if (!parent || !input || rows.some(({ thread }) => thread !== null)) return
  const variants = variantsOf(input)
  const tasks = rows.map((row) => planAttempt(services, parent, row, variants[row.index] ?? {}, isPersons))
  if (!isNonEmpty(tasks)) return
  commitAlways(log, forkDrafts({ state: log.state, parent, call, tasks, nextId: () => ids.next() }))
}

/**
 * An attempt answers in the place of the agent that was asked: with its model and its effort, and with the conversation
 * before it when a person asked. A kind of subagent that a variant names brings its own.
 */
function planAttempt(
  services: AgentServices,
  parent: ThreadState,
  { id, type, description }: BatchRow,
  { model, agent, effort }: ReturnType<typeof variantsOf>[number],
  isPersons: boolean,
): PlannedTask {
  const planned = plannedTask(services, parent, { task: description, subagentType: type, name: id, todoIndex: null })
  const usual = chosenModel(parent)
  const named = model === undefined ? undefined : resolveVariant(services, model, usual)
  const own = effort ?? parent.effort ?? undefined
  return {
    ...planned,
    model: named?.ok ? named.value : agent === undefined ? usual : planned.model,
    ...(own !== undefined && { effort: own }),
    ...(isPersons && agent === undefined && { scope: 'off', inputFilter: null, summary: null }),
  }
}
