import { familyOf, type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'

/** US dollars for so many tasks: what subagents of the family have cost on average, else the usual for the model; null where neither is known. */
export function estimatedCost(
  state: ProjectState,
  { id, model }: ThreadState,
  tasks: number,
  usualCost: (model: string) => number | null,
): number | null {
  const costs = familyOf(state, rootThreadOf(state, id)).flatMap(({ parent, end, usage }) =>
    parent !== null && end?.status === 'done' && usage.cost !== null ? [usage.cost] : [],
  )
  const each = costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) / costs.length : usualCost(model)
  return each === null ? null : each * tasks
}
