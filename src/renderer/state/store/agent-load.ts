import type { Activity } from './timeline.ts'

/** How many agents did what at one moment. */
export interface AgentLoad {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly working: number
  /** For the person. */
  readonly waiting: number
  readonly queued: number
}

const kinds = ['working', 'waiting', 'queued'] as const

/**
 * Counts the agents at moments of equal distance. Each agent is the list of what it did, each until the next and the
 * last until `to`. Empty while no agent has begun. Takes time in proportion to what is listed, not to the moments.
 */
export function agentLoad(agents: readonly (readonly Activity[])[], to: number, places: number): readonly AgentLoad[] {
  const begins = agents.flatMap((activities) => activities[0]?.at ?? [])
  if (begins.length === 0) return []
  const from = begins.reduce((a, b) => Math.min(a, b))
  const step = Math.max(to - from, 1) / places
  const changes = { working: newCounts(places), waiting: newCounts(places), queued: newCounts(places) }
  /** The first moment at or after a time. */
  const placeOf = (at: number): number => Math.min(Math.max(Math.ceil((at - from) / step - 0.5), 0), places)
  for (const activities of agents)
    for (const [index, { at, kind }] of activities.entries()) {
      if (kind === 'idle') continue
      const until = activities[index + 1]?.at ?? to
      changes[kind][placeOf(at)] = (changes[kind][placeOf(at)] ?? 0) + 1
      changes[kind][placeOf(until)] = (changes[kind][placeOf(until)] ?? 0) - 1
    }
  const now = { working: 0, waiting: 0, queued: 0 }
  return Array.from({ length: places }, (_, place) => {
    for (const kind of kinds) now[kind] += changes[kind][place] ?? 0
    return { at: from + (place + 0.5) * step, ...now }
  })
}

function newCounts(places: number): number[] {
  return Array.from({ length: places + 1 }, () => 0)
}
