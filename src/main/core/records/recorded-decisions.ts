import type { JsonObject } from '#shared/base/json.ts'
import type { ActionRequest, Decision } from '#shared/model/calls/interrupt.ts'
import { reachesAllProjects } from '#shared/model/memory.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { accessOf, findToolFacts } from '#shared/tools/tool-facts.ts'
import type { ProjectServices } from '../agent/types/services.ts'
import { placesForAll, realFileReason } from '../tools/namespace/routes.ts'

/**
 * Whether a recorded decision may be given again. A record of somebody else approves its own calls, so its approval
 * counts only for what stays in the branch, in the memory of the project or in the sandbox. Other calls wait for the person who replays.
 */
export function mayDecide(
  { shell, routes }: Pick<ProjectServices, 'shell' | 'routes'>,
  { name, args }: Pick<ActionRequest, 'name' | 'args'>,
  decision: Decision,
): boolean {
  if (decision.type !== 'approve' && decision.type !== 'edit') return decision.type !== 'run_again'
  const facts = findToolFacts(name)
  const input: JsonObject = decision.type === 'edit' ? decision.args : args
  const access = accessOf(facts.access, input)
  const places = placesForAll(routes)
  const leaves = (path: VirtualPath) => reachesAllProjects(path, places)
  if (realFileReason(routes, access.writes) !== undefined || access.writes.some(leaves)) return false
  return facts.effect !== 'outside' || (access.command !== null && shell.sandbox().state === 'on')
}

/** The decision for a call of the replay. It grants no host: the person who replays names hosts again. */
export function decisionHere(decision: Decision, callId: Decision['callId']): Decision {
  if (decision.type !== 'approve' && decision.type !== 'edit') return { ...decision, callId }
  const { hosts: _, ...rest } = decision
  return { ...rest, callId }
}
