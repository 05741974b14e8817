import { expect, it } from 'vitest'
import { valuesOf } from '../../base/chain.ts'
import type { EntryBody } from '../entry.ts'
import type { ThreadId, ToolCallId } from '../ids.ts'
import { lastTouched, versionBefore } from '../memory.ts'
import { emptyProject, type ProjectState } from '../project-state.ts'
import { fold } from './project.ts'

const threadId = 't' as ThreadId
const callId = 'c' as ToolCallId
const by = { agent: 'main', callId }

function after(...bodies: readonly EntryBody[]): ProjectState {
  return bodies.reduce(
    (state, body, index) => fold(state, { ...body, threadId, sequence: index + 1, at: (index + 1) * 10 }),
    emptyProject,
  )
}

const wrote = (text: string): EntryBody => ({ type: 'memory.written', name: 'a.md', text, restores: null, ...by })

it('keeps every version, and only the latest text', () => {
  const { memories } = after(
    wrote('one'),
    wrote('two'),
    { type: 'memory.deleted', name: 'a.md', ...by },
    wrote('three'),
  )
  const memory = memories.get('a.md')
  expect(memory).toMatchObject({ text: 'three', used: null })
  expect(valuesOf(memory?.versions ?? null).map(({ number, length }) => [number, length])).toEqual([
    [1, 3],
    [2, 3],
    [3, null],
    [4, 5],
  ])
  expect([1, 2, 3, 4].map((sequence) => memory && versionBefore(memory, sequence)?.sequence)).toEqual([
    undefined,
    1,
    2,
    undefined,
  ])
})

it('knows when a memory was last used, and by which thread', () => {
  const { memories } = after(wrote('one'), { type: 'memory.recalled', names: ['a.md', 'never-there.md'] })
  const memory = memories.get('a.md')
  expect(memory?.used).toEqual({ at: 20, threadId })
  expect(memory && lastTouched(memory)).toBe(20)
  expect(memories.size).toBe(1)
})

it('survives a rewind of the thread that wrote it', () => {
  const rewound: EntryBody = { type: 'rewound', to: 1, files: [], conversation: true, undoes: null }
  expect(after(wrote('one'), wrote('two'), rewound).memories.get('a.md')?.text).toBe('two')
})
