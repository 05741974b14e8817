import { expect, it } from 'vitest'
import type { EntryBody } from '#shared/model/entry.ts'
import { foldEvents, initialState } from './app-state.ts'
import { event } from './entries.testkit.ts'
import { fateOf, memoryUndo, userMemoryFate } from './memory-undo.ts'

const memoryWrite = (text: string, agent: string | null = 'main', restores: number | null = null): EntryBody => ({
  type: 'memory.written',
  name: 'a.md',
  text,
  agent,
  callId: null,
  restores,
})
const deleted: EntryBody = { type: 'memory.deleted', name: 'a.md', agent: null, callId: null }

function after(...bodies: readonly EntryBody[]) {
  const events = bodies.map((body, index) => event(index + 1, body))
  const memory = foldEvents(initialState, events).project.memories.get('a.md')
  if (!memory) throw new Error('no memory')
  return memory
}

it('restores the previous version, or none', () => {
  expect(memoryUndo(after(memoryWrite('one')), 1)).toEqual({ name: 'a.md', to: null, latest: 1 })
  expect(memoryUndo(after(memoryWrite('one'), memoryWrite('two')), 2)).toEqual({ name: 'a.md', to: 1, latest: 2 })
  expect(memoryUndo(after(memoryWrite('one'), deleted, memoryWrite('two')), 3)).toMatchObject({ to: null })
  expect(memoryUndo(after(memoryWrite('one'), memoryWrite('two')), 1)).toBeNull()
})

it('is current, undone, or replaced', () => {
  expect(fateOf(after(memoryWrite('one')), 1)).toBe('current')
  expect(fateOf(after(memoryWrite('one'), deleted), 1)).toBe('undone')
  expect(fateOf(after(memoryWrite('one'), memoryWrite('two'), memoryWrite('one', null, 1)), 2)).toBe('undone')
  expect(fateOf(after(memoryWrite('one'), memoryWrite('two')), 1)).toBe('replaced')
  expect(fateOf(after(memoryWrite('one'), memoryWrite('two'), deleted), 2)).toBe('replaced')
})

it('is the same for a memory of all projects, as far as the project knows', () => {
  const forAll = (undoes?: number): EntryBody => ({
    type: 'user_memory.written',
    name: 'a.md',
    text: 'x',
    agent: undoes === undefined ? 'main' : null,
    callId: null,
    restores: null,
    ...(undoes !== undefined && { undoes }),
  })
  const fate = (bodies: readonly EntryBody[], sequence: number) => {
    const events = bodies.map((body, index) => event(index + 1, body))
    return userMemoryFate(foldEvents(initialState, events).project.userMemories.get('a.md'), sequence)
  }
  expect(fate([forAll()], 1)).toBe('current')
  expect(fate([forAll(), forAll(1)], 1)).toBe('undone')
  expect([fate([forAll(), forAll()], 1), fate([forAll(), forAll()], 2)]).toEqual(['replaced', 'current'])
})
