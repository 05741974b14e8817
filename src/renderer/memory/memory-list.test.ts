import { expect, it } from 'vitest'
import type { EntryBody } from '#shared/model/entry.ts'
import { foldEvents, initialState } from '../state/store/app-state.ts'
import { event } from '../state/store/entries.testkit.ts'
import { listMemories, type MemoryFilter } from './memory-list.ts'

const day = 24 * 60 * 60 * 1000
const by = { agent: 'main', callId: null }
const memoryWrite = (name: string): EntryBody => ({ type: 'memory.written', name, text: 'x', restores: null, ...by })
const at = (sequence: number, days: number, body: EntryBody) => ({ ...event(sequence, body), at: days * day })

const { memories } = foldEvents(initialState, [
  at(1, 0, memoryWrite('old.md')),
  at(2, 0, memoryWrite('read.md')),
  at(3, 0, memoryWrite('gone.md')),
  at(4, 1, { type: 'memory.deleted', name: 'gone.md', ...by }),
  at(5, 20, { type: 'memory.recalled', names: ['read.md'] }),
  at(6, 40, memoryWrite('new.md')),
]).project

it('lists memories, those unused for thirty days, and deleted ones', () => {
  const names = (filter: MemoryFilter, found: readonly string[] | null = null) =>
    listMemories(memories.values(), filter, found && new Set(found), 45 * day).map(({ name }) => name)
  expect(names('all')).toEqual(['new.md', 'read.md', 'old.md'])
  expect(names('unused')).toEqual(['old.md'])
  expect(names('deleted')).toEqual(['gone.md'])
  expect(names('all', ['old.md', 'gone.md'])).toEqual(['old.md'])
})
