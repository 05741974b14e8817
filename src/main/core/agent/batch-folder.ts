import type { ThreadId } from '#shared/model/ids.ts'
import { familyOf, rootThreadOf } from '#shared/model/project-state.ts'
import type { AgentServices } from './services.ts'

/** Where the results of a batch that begins now are kept; a second one of the same second gets a number. */
export function batchFolder({ log, prefixes }: AgentServices, threadId: ThreadId, now: number): string {
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const calls = familyOf(log.state, rootThreadOf(log.state, threadId)).flatMap((thread) => [...thread.calls.values()])
  const taken = new Set(calls.map(({ batch }) => batch?.folder))
  const folder = (suffix: string) => `${prefixes['/batch_results/']}${stamp}${suffix}/`
  let chosen = folder('')
  for (let number = 1; taken.has(chosen); number += 1) chosen = folder(`-${number}`)
  return chosen
}
