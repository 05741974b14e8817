import { expect, it } from 'vitest'
import type { ProjectId, ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { isUnseen, readSeen, seenKey, writeSeen } from './seen-threads.ts'

const project = 'project' as ProjectId
const storage = () => {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
}
const ended = (id: string, at: number, status: 'done' | 'interrupted' = 'done') =>
  ({ id: id as ThreadId, end: { status, reason: 'completed', message: '', at } }) as Pick<ThreadState, 'id' | 'end'>

it('a result is unseen until its thread is shown, and again after its next run', () => {
  const kept = storage()
  expect(isUnseen(ended('old', 90), readSeen(kept, project, 100))).toBe(false)
  const fresh = () => isUnseen(ended('a', 150), readSeen(kept, project, 999))
  expect(fresh()).toBe(true)
  writeSeen(kept, project, 'a' as ThreadId, 150)
  expect(fresh()).toBe(false)
  const seen = readSeen(kept, project, 999)
  expect(isUnseen(ended('a', 151), seen)).toBe(true)
  expect(isUnseen(ended('a', 151, 'interrupted'), seen), 'a run that waits has no result').toBe(false)
  expect(isUnseen({ id: 'a' as ThreadId, end: null }, seen)).toBe(false)
})

it('forgets the oldest of many results without showing them as new', () => {
  const kept = storage()
  const ends = Object.fromEntries(Array.from({ length: 2002 }, (_, index) => [`t${index + 1}`, index + 1]))
  kept.setItem(seenKey(project), JSON.stringify({ since: 0, ends }))
  writeSeen(kept, project, 't2003' as ThreadId, 2003)
  const seen = readSeen(kept, project, 0)
  expect(Object.keys(seen.ends)).toHaveLength(2000)
  expect([isUnseen(ended('t1', 1), seen), isUnseen(ended('t2003', 2003), seen)]).toEqual([false, false])
  expect(kept.getItem(seenKey(project))?.length).toBeLessThan(60_000)
})
