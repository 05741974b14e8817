import { numberAgents } from '#shared/model/derived/agent-hues.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { AppState } from './app-state.ts'
import { activeFamily } from './selectors.ts'

const known = new WeakMap<readonly ThreadState[], ReadonlyMap<string, number>>()

/**
 * The number of the colour of an agent of the open thread, `--agent-1` to `--agent-12` of the style sheet, in the order in which agents started. Agents with the
 * same name share it. Null for the main agent, the person and unknown names.
 */
export function hueOf(state: AppState, name: string): number | null {
  const family = activeFamily(state)
  const hues = known.get(family) ?? numberAgents(family)
  known.set(family, hues)
  return hues.get(name) ?? null
}
