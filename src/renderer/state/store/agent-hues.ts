import type { ThreadState } from '#shared/model/thread.ts'
import type { AppState } from './app-state.ts'
import { activeFamily } from './selectors.ts'

/** The colours `--agent-1` to `--agent-12` of the style sheet. */
const hueCount = 12

const known = new WeakMap<readonly ThreadState[], ReadonlyMap<string, number>>()

/**
 * The number of the colour of an agent of the open thread, from 1, in the order in which agents started. Agents with the
 * same name share it. Null for the main agent, the person and unknown names.
 */
export function hueOf(state: AppState, name: string): number | null {
  const family = activeFamily(state)
  const hues = known.get(family) ?? numberAgents(family)
  known.set(family, hues)
  return hues.get(name) ?? null
}

function numberAgents(family: readonly ThreadState[]): ReadonlyMap<string, number> {
  const agents = family.filter(({ parent }) => parent).sort((one, other) => one.createdAt - other.createdAt)
  const names = [...new Set(agents.map(({ agent }) => agent))]
  return new Map(names.map((name, index) => [name, (index % hueCount) + 1]))
}
