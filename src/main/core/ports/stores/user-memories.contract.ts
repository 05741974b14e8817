import { describe, expect, it } from 'vitest'
import { valuesOf } from '#shared/base/chain.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { latestVersion } from '#shared/model/memory.ts'
import { someWrite } from './user-memories.testkit.ts'
import type { UserMemoryStore } from './user-memories.ts'

export function describeUserMemories(name: string, create: () => UserMemoryStore & Partial<Disposable>): void {
  const withStore = (act: (store: UserMemoryStore) => void) => () => {
    const store = create()
    act(store)
    store[Symbol.dispose]?.()
  }
  const versionsOf = (store: UserMemoryStore) => valuesOf(store.current().get('style.md')?.versions ?? null)

  describe(`UserMemories: ${name}`, () => {
    it(
      'keeps every version with its origin, and the text of each',
      withStore((store) => {
        store.record([someWrite, { ...someWrite, key: 'b', text: 'Spaces.', at: 20, agent: null }], 'now')
        store.record([{ ...someWrite, key: 'c', text: null, at: 30 }], 'now')
        const memory = store.current().get('style.md')
        expect(memory).toMatchObject({ name: 'style.md', text: null, used: null })
        expect(versionsOf(store)).toMatchObject([
          { number: 1, at: 10, agent: 'main', threadId: 'thread', project: { id: 'project', name: 'tally' } },
          { number: 2, at: 20, agent: null, length: 7 },
          { number: 3, at: 30, length: null },
        ])
        const texts = versionsOf(store).map(({ sequence }) => store.textOf('style.md', sequence))
        expect(texts).toEqual(['Tabs.', 'Spaces.', null])
        expect(store.problem()).toBeNull()
      }),
    )

    it(
      'stores a write once, however often it is delivered',
      withStore((store) => {
        for (const arrival of ['now', 'late', 'now'] as const) store.record([someWrite], arrival)
        expect(versionsOf(store)).toHaveLength(1)
        expect(store.findVersion(someWrite.key)).toBe(versionsOf(store)[0]?.sequence)
        expect(store.findVersion('another')).toBeNull()
      }),
    )

    it(
      'makes a new write the latest even when the clock went back, and puts a late one in its place',
      withStore((store) => {
        store.record([{ ...someWrite, at: 100 }], 'now')
        store.record([{ ...someWrite, key: 'b', text: 'newer', at: 50 }], 'now')
        store.record([{ ...someWrite, key: 'c', text: 'late', at: 60, restores: 1 }], 'late')
        expect(store.current().get('style.md')?.text).toBe('newer')
        expect(versionsOf(store).map(({ at, length, restores }) => [at, length, restores])).toEqual([
          [60, 4, null],
          [100, 5, null],
          [100, 5, null],
        ])
      }),
    )

    it(
      'knows the last use of a memory',
      withStore((store) => {
        store.record([someWrite], 'now')
        store.recordUse({ names: ['style.md', 'none.md'], at: 40, threadId: 'reader' as ThreadId })
        store.recordUse({ names: ['style.md'], at: 35, threadId: 'earlier' as ThreadId })
        expect(store.current().get('style.md')?.used).toEqual({ at: 40, threadId: 'reader' })
        expect(store.current().size).toBe(1)
      }),
    )

    it(
      'never changes what it gave out',
      withStore((store) => {
        store.record([someWrite], 'now')
        const before = store.current()
        expect(latestVersion(before.get('style.md') as never).number).toBe(1)
        store.record([{ ...someWrite, key: 'b', text: 'x' }], 'now')
        expect(store.current().get('style.md')?.text).toBe('x')
        expect(before.get('style.md')?.text).toBe('Tabs.')
      }),
    )
  })
}
