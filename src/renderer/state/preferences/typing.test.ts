import { expect, it } from 'vitest'
import type { MessageId, ProjectId, ThreadId } from '#shared/model/ids.ts'
import { emptyAnswer } from '../store/answers.ts'
import { changeRewrites } from '../store/rewrites.ts'
import { followRewrites, nothingTyped, readTyping, saveTyping, type Typing } from './typing.ts'

const id = 'p' as ProjectId

function createStorage() {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (index: number) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size
    },
  }
}

const typed: Typing = {
  answers: { 'i a': { ...emptyAnswer, reply: 'yes' } },
  rewrites: changeRewrites({}, 't' as ThreadId, [['m' as MessageId, { before: 'one', typed: 'two' }]]),
  edits: { 'message m': { before: 'one', typed: 'three' } },
}

it('keeps the texts of each project, and forgets those that were sent', () => {
  const storage = createStorage()
  saveTyping(storage, id, typed, nothingTyped)
  expect(readTyping(storage, id)).toEqual(typed)
  expect(readTyping(storage, 'other' as ProjectId)).toEqual(nothingTyped)
  saveTyping(storage, id, nothingTyped, typed)
  expect(storage.kept.size).toBe(0)
})

it('keeps the texts of another window on the same project', () => {
  const storage = createStorage()
  saveTyping(storage, id, typed, nothingTyped)
  const other: Typing = { answers: { 'i b': { ...emptyAnswer, reason: 'no' } }, rewrites: {}, edits: {} }
  saveTyping(storage, id, other, nothingTyped)
  expect(readTyping(storage, id)).toEqual({ ...typed, answers: { ...typed.answers, ...other.answers } })
})

it('sets a damaged text aside and keeps the others', () => {
  const storage = createStorage()
  storage.setItem('coppice-typed p answer i x', '{')
  saveTyping(storage, id, typed, nothingTyped)
  expect(readTyping(storage, id)).toEqual(typed)
  expect(readTyping(storage, id)).toEqual(typed)
  expect(storage.kept.get('coppice-typed p answer i x (set aside)')).toBe('{')
})

it('follows a rewrite that another window changes or closes', () => {
  const localStorage = createStorage()
  const page = Object.assign(new EventTarget(), { localStorage })
  const heard: unknown[] = []
  const hear = (key: string) => page.dispatchEvent(Object.assign(new Event('storage'), { key }))
  const stop = followRewrites(page as unknown as Window, id, (...change) => heard.push(change))
  saveTyping(localStorage, id, typed, nothingTyped)
  hear('coppice-typed p rewrite t m')
  hear('coppice-typed p answer i a')
  saveTyping(localStorage, id, nothingTyped, typed)
  hear('coppice-typed p rewrite t m')
  stop()
  hear('coppice-typed p rewrite t m')
  expect(heard).toEqual([
    ['t m', { before: 'one', typed: 'two' }],
    ['t m', null],
  ])
})
