import * as z from 'zod/mini'
import type { ProjectId, ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { readSaved, type SavedFormat, type SavedStorage, writeSaved } from './saved.ts'

/** Which results a person has seen in a project. Times are in milliseconds since the Unix epoch. */
export interface SeenThreads {
  /** Results from before this time count as seen, so that an old project does not show a hundred dots. */
  readonly since: number
  /** The end of the last run that was seen, by thread. */
  readonly ends: Readonly<Record<string, number>>
}

const format: SavedFormat<SeenThreads> = {
  name: 'the results that were seen',
  version: 1,
  schema: z.object({ since: z.number(), ends: z.record(z.string(), z.number()) }),
}
const most = 2000

export function seenKey(projectId: ProjectId): string {
  return `coppice-seen ${projectId}`
}

/** What was seen so far. The first call for a project begins with `now`. */
export function readSeen(storage: SavedStorage, projectId: ProjectId, now: number): SeenThreads {
  const saved = readSaved(storage, seenKey(projectId), format)
  if (saved.state === 'read') return saved.value
  const begun = { since: now, ends: {} }
  writeSaved(storage, seenKey(projectId), format, begun)
  return begun
}

/** Keeps that the last result of a thread was seen. Forgets the oldest of many. */
export function writeSeen(storage: SavedStorage, projectId: ProjectId, id: ThreadId, at: number): void {
  const { since, ends } = readSeen(storage, projectId, at)
  const newest = Object.entries({ ...ends, [id]: at }).sort(([, a], [, b]) => b - a)
  const forgotten = newest[most]?.[1] ?? 0
  writeSaved(storage, seenKey(projectId), format, {
    since: Math.max(since, forgotten),
    ends: Object.fromEntries(newest.slice(0, most)),
  })
}

/** Whether the thread's last run ended while nobody looked. */
export function isUnseen({ id, end }: Pick<ThreadState, 'id' | 'end'>, { since, ends }: SeenThreads): boolean {
  return end !== null && end.status !== 'interrupted' && end.at > (ends[id] ?? since)
}
