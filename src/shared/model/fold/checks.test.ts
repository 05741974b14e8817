import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { projectPartOf, projectWith } from '../derived/project-part.ts'
import type { Entry, EntryBody, EntryOf } from '../entry.ts'
import { type BranchId, projectThread } from '../ids.ts'
import { emptyProject, type ProjectState } from '../project-state.ts'
import { foldChecks } from './checks.ts'

type QueueEntry = EntryOf<'merge.queued'> | EntryOf<'merge.ended'>

const branch = fc.constantFrom(...(['a', 'b', 'c', 'd'] as BranchId[]))
const end = fc.constantFrom<EntryOf<'merge.ended'>['end']>(
  { kind: 'merged' },
  { kind: 'cancelled' },
  { kind: 'refused', reason: 'r' },
  { kind: 'red', failed: [{ check: 'c', sequence: 1 }], greenAlone: true },
)
const happening: fc.Arbitrary<EntryBody> = fc.oneof(
  fc.array(branch, { maxLength: 4 }).map((branchIds): EntryBody => ({ type: 'merge.queued', branchIds })),
  fc.record({ branchId: branch, end }).map((ended): EntryBody => ({ type: 'merge.ended', ...ended })),
)
const story = fc
  .array(happening, { maxLength: 30 })
  .map((bodies) =>
    bodies.map((body, index): Entry => ({ ...body, threadId: projectThread, sequence: index + 1, at: 0 })),
  )

const queueOf = (state: ProjectState) => state.checks.queue
const waitingIn = (state: ProjectState) =>
  queueOf(state).flatMap(({ branchId, end: ended }) => (ended === null ? [branchId] : []))

/** Every state on the way, with the entry that led to it. */
function* states(entries: readonly Entry[]): Generator<readonly [ProjectState, QueueEntry, ProjectState]> {
  let before = emptyProject
  for (const entry of entries) {
    const after = foldChecks(before, entry)
    yield [before, entry as QueueEntry, after]
    before = after
  }
}

describe('the queue of merges when green', () => {
  it('has each branch once, keeps the order of what waits, and forgets nothing that waits', () => {
    fc.assert(
      fc.property(story, (entries) => {
        for (const [before, entry, after] of states(entries)) {
          const ids = queueOf(after).map(({ branchId }) => branchId)
          expect(new Set(ids).size).toBe(ids.length)
          const ended = entry.type === 'merge.ended' ? [entry.branchId] : []
          const stays = waitingIn(before).filter((id) => !ended.includes(id))
          expect(waitingIn(after).slice(0, stays.length)).toEqual(stays)
          if (entry.type === 'merge.queued')
            expect(waitingIn(after)).toEqual(expect.arrayContaining([...entry.branchIds]))
        }
      }),
    )
  })

  it('ends a branch once: only another turn takes an end away, or the next queue all of them', () => {
    fc.assert(
      fc.property(story, (entries) => {
        for (const [before, entry, after] of states(entries)) {
          const begins = entry.type === 'merge.queued' && waitingIn(before).length === 0
          const again: readonly BranchId[] = entry.type === 'merge.queued' ? entry.branchIds : []
          const kept = queueOf(before).filter((one) => one.end !== null && !begins && !again.includes(one.branchId))
          expect(queueOf(after)).toEqual(expect.arrayContaining(kept))
          if (begins) expect(queueOf(after).map(({ branchId }) => branchId)).toEqual([...new Set(entry.branchIds)])
        }
      }),
    )
  })

  it('knows a merge as the entry before its end', () => {
    const ends: readonly Entry[] = [
      { type: 'merge.queued', branchIds: ['a' as BranchId], threadId: projectThread, sequence: 7, at: 0 },
      {
        type: 'merge.ended',
        branchId: 'a' as BranchId,
        end: { kind: 'merged' },
        threadId: projectThread,
        sequence: 9,
        at: 0,
      },
    ]
    expect(queueOf(ends.reduce(foldChecks, emptyProject))).toEqual([
      { branchId: 'a', end: { kind: 'merged', sequence: 8 } },
    ])
  })

  it('is part of the project, also of one that an older version wrote without it', () => {
    fc.assert(
      fc.property(story, (entries) => {
        const state = entries.reduce(foldChecks, emptyProject)
        const part = projectPartOf(state)
        expect(queueOf(projectWith(JSON.parse(JSON.stringify(part))))).toEqual(queueOf(state))
        const { queue: _, ...older } = part
        expect(queueOf(projectWith(older))).toEqual([])
      }),
    )
  })
})
