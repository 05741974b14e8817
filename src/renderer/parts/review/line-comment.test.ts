import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import {
  nothingUnsent,
  readUnsent,
  saveUnsent,
  type WaitingComment,
  withComment,
  withoutComment,
} from './line-comment.ts'

function comment(id: string, path: string, to: number): WaitingComment {
  return { id, path: path as VirtualPath, range: { side: 'new', from: to, to }, quote: ['x'], text: id }
}

function storage() {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
}

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined))

describe('unsent comments', () => {
  const unsent = [comment('b', '/b', 1), comment('a9', '/a', 9), comment('a2', '/a', 2)].reduce(
    withComment,
    nothingUnsent,
  )

  test('are ordered by file and line', () => {
    expect(unsent.comments.map(({ id }) => id)).toEqual(['a2', 'a9', 'b'])
    expect(withComment(unsent, { ...comment('a2', '/a', 2), text: 'new' }).comments).toHaveLength(3)
    expect(withoutComment(unsent, 'a9').comments.map(({ id }) => id)).toEqual(['a2', 'b'])
  })

  test('survive a reload, with the one being written', () => {
    const at = { side: 'new', from: 3, to: 3 } as const
    const writing = { ...unsent, form: { path: '/a' as VirtualPath, at, range: at, text: 'half a' } }
    const store = storage()
    saveUnsent(store, 'key', writing)
    expect(readUnsent(store, 'key')).toEqual({ unsent: writing, setAside: null })
    saveUnsent(store, 'key', nothingUnsent)
    expect(store.kept.size).toBe(0)
  })

  test('saved before there were versions can still be read', () => {
    const store = storage()
    store.setItem('key', JSON.stringify(unsent))
    expect(readUnsent(store, 'key').unsent).toEqual(unsent)
  })

  test.each([
    ['broken JSON', '{'],
    ['other JSON', '[]'],
    ['a comment without its lines', '{"comments":[{"id":"a","path":"/a","text":"x"}],"form":null}'],
  ])('that cannot be read (%s) are set aside, and none are shown', (_, text) => {
    const store = storage()
    store.setItem('key', text)
    const { unsent: read, setAside } = readUnsent(store, 'key')
    expect(read).toEqual(nothingUnsent)
    expect(setAside).toMatchObject({ reason: 'damaged', keptAs: 'key (set aside)' })
    expect([...store.kept]).toEqual([['key (set aside)', text]])
    expect(readUnsent(store, 'nothing kept')).toEqual({ unsent: nothingUnsent, setAside: null })
  })

  test('do not fail in a full storage', () => {
    const full = {
      ...storage(),
      setItem: () => {
        throw new Error('full')
      },
    }
    expect(() => saveUnsent(full, 'key', unsent)).not.toThrow()
  })
})
