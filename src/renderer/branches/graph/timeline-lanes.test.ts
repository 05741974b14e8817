import { expect, it } from 'vitest'
import type { Branch } from '#shared/model/branch.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { keepLanes, momentsOf, spansOf, timelineLanes } from './timeline-lanes.ts'

const branchesOf = (count: number): readonly Branch[] =>
  ['root', ...Array.from({ length: count }, (_, at) => `b${at}`)].map(
    (id) => ({ id, threadId: id, parentId: id === 'root' ? null : 'root' }) as unknown as Branch,
  )
const threadOf = (id: string) =>
  ({ parent: id === 'root' ? null : { threadId: 'root', callId: 'call' } }) as unknown as ThreadState
const shown = (count: number, ...unfolded: string[]) =>
  timelineLanes(branchesOf(count), threadOf, new Set(unfolded)).map(
    ({ branch, group, isGroupHead }) =>
      `${branch.id}${group ? ` of ${group.length}` : ''}${isGroupHead ? ' head' : ''}`,
  )

it('gives each of twelve agents a lane', () => {
  expect(shown(12)).toHaveLength(13)
})

it('folds the branches of one call into one lane when there are many, until a person unfolds them', () => {
  expect(shown(60)).toEqual(['root', 'b0 of 60 head'])
  expect(shown(60, 'root call').slice(0, 3)).toEqual(['root', 'b0 head', 'b1'])
  expect(shown(60, 'root call')).toHaveLength(61)
})

it.each([12, 60])('keeps the lanes of %i branches when one of them changes', (count) => {
  const before = branchesOf(count)
  const now = before.map((branch) => (branch.id === 'b3' ? { ...branch, name: 'changed' } : branch))
  const lanes = timelineLanes(before, threadOf, new Set())
  const kept = keepLanes(lanes, before, now)
  expect(kept).toEqual(timelineLanes(now, threadOf, new Set()))
  expect(kept?.[0]).toBe(lanes[0])
  expect(keepLanes(lanes, before, before)).toEqual(lanes)
})

it('makes the lanes anew when a branch came, went or moved', () => {
  const before = branchesOf(12)
  const lanes = timelineLanes(before, threadOf, new Set())
  expect(keepLanes(lanes, before, branchesOf(13))).toBeNull()
  expect(keepLanes(lanes, before, before.slice(1))).toBeNull()
  expect(keepLanes(lanes, before, before.toReversed())).toBeNull()
})

it('collects the moments of all events', () => {
  const nodes = new Map([
    ['a', [{ event: { at: 3 } }, { event: { at: 9 } }]],
    ['b', [{ event: { at: 5 } }]],
  ]) as unknown as Parameters<typeof momentsOf>[0]
  expect([...momentsOf(nodes).toSorted()]).toEqual([3, 5, 9])
})

it('knows when an agent worked, waited and was queued, until now', () => {
  const activities = [
    { at: 1, kind: 'queued' },
    { at: 3, kind: 'working' },
    { at: 7, kind: 'waiting' },
    { at: 9, kind: 'idle' },
    { at: 20, kind: 'working' },
  ] as const
  expect(spansOf(activities, 30)).toEqual([
    { kind: 'queued', start: 1, end: 3 },
    { kind: 'working', start: 3, end: 7 },
    { kind: 'waiting', start: 7, end: 9 },
    { kind: 'working', start: 20, end: 30 },
  ])
})
