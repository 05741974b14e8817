import { describe, expect, it } from 'vitest'
import type { MessageHit } from '#shared/contract/views/threads.ts'
import type { EntryBody } from '#shared/model/entry.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { foldEvents, initialState } from '../state/store/app-state.ts'
import { created, event } from '../state/store/entries.testkit.ts'
import { allRoots, familyStatus } from '../state/store/selectors.ts'
import {
  groupRows,
  hitRows,
  stopAfterKey,
  stopAt,
  stopsOf,
  type ThreadRow,
  threadsOf,
  titlesWith,
} from './thread-rows.ts'

const threadCalled = (title: string) => ({ ...created, title }) as EntryBody
const day = 24 * 60 * 60 * 1000
const id = (name: string) => name as ThreadId
const ended = { type: 'run.ended', status: 'done', reason: 'completed', message: '' } as const
const state = foldEvents(initialState, [
  event(1, threadCalled('Add auth'), id('a')),
  event(2, threadCalled('Fix lint'), id('b')),
  event(3, threadCalled('Old work'), id('c')),
  event(4, threadCalled('Gone'), id('d')),
  event(5, ended, id('a')),
  event(6, { type: 'thread.pinned', pinned: true }, id('b')),
  event(7, { type: 'thread.archived', archived: true }, id('c')),
  event(8, { type: 'thread.deleted' }, id('d')),
])
const roots = allRoots(state)
const named = (rows: readonly ThreadRow[]) =>
  rows.map((row) =>
    row.kind === 'thread' ? row.thread.id : row.kind === 'group' ? `${row.group} ${row.count}` : row.key,
  )

describe('rows of the thread list', () => {
  it('are listed where they belong: active, archived or deleted', () => {
    expect(threadsOf(roots, 'active', 0).map((thread) => thread.id)).toEqual(['a', 'b'])
    expect(threadsOf(roots, 'archived', 0).map((thread) => thread.id)).toEqual(['c'])
    expect(threadsOf(roots, 'deleted', 8 * day).map((thread) => thread.id)).toEqual([])
    expect(threadsOf(roots, 'deleted', 6 * day).map((thread) => thread.id)).toEqual(['d'])
  })

  it('are grouped by status, pinned first; a closed group keeps its count', () => {
    const active = threadsOf(roots, 'active', 0)
    const statuses = familyStatus(state.project)
    expect(named(groupRows(active, statuses, new Set()))).toEqual(['pinned 1', 'b', 'done 1', 'a'])
    expect(named(groupRows(active, statuses, new Set(['done'])))).toEqual(['pinned 1', 'b', 'done 1'])
  })

  it('are found by the beginning of each word of their title', () => {
    const found = (query: string) => titlesWith(roots, query).map((thread) => thread.id)
    expect(found('au')).toEqual(['a'])
    expect(found('lint fix')).toEqual(['b'])
    expect(found(' ')).toEqual([])
    expect(found('int')).toEqual([])
  })

  it('list found messages under the root of their thread', () => {
    const hit = (sequence: number, thread: string): MessageHit => ({
      sequence,
      threadId: id(thread),
      at: 0,
      messageId: '' as MessageId,
      role: 'assistant',
      snippet: [],
    })
    const rows = hitRows(
      [hit(9, 'helper'), hit(8, 'b'), hit(7, 'a'), hit(6, 'nowhere')],
      (thread) => roots.find((root) => root.id === (thread === 'helper' ? 'a' : thread)),
      (thread) => thread,
    )
    expect(named(rows)).toEqual(['found a', 'hit 9', 'hit 7', 'found b', 'hit 8'])
  })
})

it('moves by keys, skips headings, and stops at both ends', () => {
  const rows = [{ kind: 'found' }, { kind: 'hit' }, { kind: 'found' }, { kind: 'hit' }] as unknown as ThreadRow[]
  const stops = stopsOf(rows)
  expect(stops).toEqual([1, 3])
  expect([0, 1, 2, 9].map((row) => stopAt(stops, row))).toEqual([1, 1, 3, 3])
  expect(['ArrowDown', 'ArrowUp', 'Home', 'End', 'x'].map((key) => stopAfterKey(key, 1, stops))).toEqual([
    3,
    1,
    1,
    3,
    null,
  ])
})
