import type { ThreadState } from '../thread.ts'

/** How many colours agents have. */
const hueCount = 12

/**
 * The number of each agent's colour, from 1, by the agent's name, in the order in which agents started. Agents with the
 * same name share it. The main agent has none.
 */
export function numberAgents(
  family: readonly Pick<ThreadState, 'agent' | 'parent' | 'createdAt'>[],
): ReadonlyMap<string, number> {
  const agents = family.filter(({ parent }) => parent).sort((one, other) => one.createdAt - other.createdAt)
  const names = [...new Set(agents.map(({ agent }) => agent))]
  return new Map(names.map((name, index) => [name, (index % hueCount) + 1]))
}
