import { hostProblem } from '#shared/base/reach/host-names.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { RunEnd } from '../types/loop-context.ts'

/** Hosts that an end names, and characters of one of them. */
const most = { hosts: 20, characters: 260 } as const

/**
 * The end of a run with the hosts that the sandbox kept the agent from, when it failed. What the agent asked for may be any
 * text: only what a person can allow is offered.
 */
export function withRefusedHosts(end: RunEnd, refused: readonly string[]): RunEnd {
  // A reply that was refused or cut has another reason.
  if (end.reason !== 'model_error' || end.cause !== undefined || refused.length === 0) return end
  const named = refused.slice(0, most.hosts).map((host) => beginningOf(oneLine(host.slice(0, 1_000)), most.characters))
  const refusedHosts = refused.filter((host) => hostProblem(host) === null).slice(0, most.hosts)
  const [first] = refusedHosts
  const allow =
    first === undefined
      ? 'No host like it can be allowed.'
      : `Allow what it needs, such as --allow-host ${first}, and go on.`
  const message = `${end.message} The sandbox kept it from ${named.join(', ')}. ${allow}`
  return first === undefined ? { ...end, message } : { ...end, message, cause: 'hosts_refused', refusedHosts }
}
