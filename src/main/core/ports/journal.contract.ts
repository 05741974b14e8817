import { describe, expect, it } from 'vitest'
import { wordsOf } from '#shared/model/derived/searched-text.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import { parentOf, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, MessageId, ThreadId } from '#shared/model/ids.ts'
import type { EntryQuery, Journal } from './journal.ts'

const first = 'thread-1' as ThreadId
const second = 'thread-2' as ThreadId

const child = 'child' as ThreadId
const grandchild = 'grandchild' as ThreadId
const branchOf = (threadId: ThreadId) => `branch of ${threadId}` as BranchId

function began(threadId: ThreadId, parent: ThreadId | null): EntryDraft {
  const link = parent === null ? {} : { parent: parentOf(parent, threadId), depth: 1 }
  // Long enough to be stored compressed.
  return { ...threadCreated(branchOf(threadId), { title: 'long '.repeat(1_000), ...link }), threadId }
}

function forked(threadId: ThreadId): EntryDraft {
  const branch = { branchId: branchOf(threadId), parentId: null, ownerThreadId: threadId, handle: null }
  return { type: 'branch.forked', threadId, ...branch, name: 'workspace' }
}

export interface JournalUnderTest {
  readonly journal: Journal
  readonly close: () => void
}

export function titled(threadId: ThreadId, title: string): EntryDraft {
  return { type: 'thread.titled', threadId, title }
}

function said(text: string, origin: 'person' | 'notice' = 'person'): EntryDraft {
  const content = [{ type: 'text', text }] as const
  return { type: 'message', threadId: first, message: { role: 'user', messageId: text as MessageId, origin, content } }
}

function noted(name: string, text: string): EntryDraft {
  return { type: 'memory.written', threadId: first, name, text, agent: 'main', callId: null, restores: null }
}

export function describeJournal(name: string, create: () => JournalUnderTest): void {
  describe(`Journal: ${name}`, () => {
    it('numbers entries from 1 without gaps, across all threads', () => {
      using open = opened(create)
      const one = open.journal.append([titled(first, 'a'), titled(second, 'b')])
      const two = open.journal.append([titled(first, 'c')])
      expect([...one, ...two].map((entry) => entry.sequence)).toEqual([1, 2, 3])
    })

    it('reads the requested types, of all threads or one', () => {
      using open = opened(create)
      open.journal.append([titled(first, 'a'), said('b'), titled(second, 'c'), noted('d', 'e')])
      const read = (query: Omit<EntryQuery, 'after'>) =>
        open.journal.read({ after: 0, ...query }).map(({ sequence }) => sequence)
      expect(read({ types: ['thread.titled'] })).toEqual([1, 3])
      expect(read({ types: ['thread.titled', 'memory.written'], threadId: first })).toEqual([1, 4])
      expect(read({ types: ['message', 'thread.titled'], limit: 2 })).toEqual([1, 2])
      expect(read({ types: [] })).toEqual([])
    })

    it('reads back exactly what append returned, in order', () => {
      using open = opened(create)
      const appended = [
        ...open.journal.append([titled(first, 'line\n"quoted" \u{1F600}')]),
        ...open.journal.append([{ type: 'run.started', threadId: second }]),
      ]
      expect(open.journal.read({ after: 0 })).toEqual(appended)
    })

    it('reads by thread, after a sequence and up to a limit', () => {
      using open = opened(create)
      open.journal.append([titled(first, 'a'), titled(second, 'b'), titled(first, 'c'), titled(first, 'd')])
      const read = open.journal.read({ after: 1, threadId: first, limit: 1 })
      expect(read.map((entry) => entry.sequence)).toEqual([3])
      expect(open.journal.read({ after: 4 })).toEqual([])
    })

    it('knows the root thread above every thread and branch, and reads what belongs to one family', () => {
      using open = opened(create)
      const { journal } = open
      expect([journal.last(), journal.roots(), journal.rootOf(first)]).toEqual([0, [], undefined])
      journal.append([began(first, null), forked(first), titled(second, 'of nobody')])
      journal.append([began(child, first), forked(child), titled(first, 'a')])
      journal.append([began(second, null), began(grandchild, child), titled(grandchild, 'b'), titled(second, 'c')])
      expect([first, child, grandchild, second].map(journal.rootOf)).toEqual([first, first, first, second])
      expect([branchOf(child), branchOf(grandchild), first].map(journal.rootOf)).toEqual([first, undefined, first])
      expect(journal.roots()).toEqual([first, second])
      expect(journal.last()).toBe(10)
      const read = (query: Omit<EntryQuery, 'after'>, after = 0) =>
        journal.read({ after, ...query }).map(({ sequence }) => sequence)
      expect(read({ family: first })).toEqual([1, 2, 4, 5, 6, 8, 9])
      expect(read({ family: first, limit: 2 }, 4)).toEqual([5, 6])
      expect(read({ family: first, types: ['thread.titled'] })).toEqual([6, 9])
      expect(read({ family: second })).toEqual([3, 7, 10])
      expect(read({ family: child })).toEqual([])
      const each = (family?: ThreadId) => [...journal.each(family)].map(({ sequence }) => sequence)
      expect([each(), each(first), each(second), each(child)]).toEqual([
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        [1, 2, 4, 5, 6, 8, 9],
        [3, 7, 10],
        [],
      ])
      expect(journal.threadsSince(6).toSorted()).toEqual([grandchild, second].toSorted())
      expect(journal.threadsSince(10)).toEqual([])
    })

    it('reads a long journal piece by piece, without losing or repeating an entry', () => {
      using open = opened(create)
      const { journal } = open
      journal.append([began(first, null), began(second, null), began(child, first)])
      for (let round = 0; round < 400; round += 1)
        journal.append([titled(first, 'a'), titled(second, 'b'), titled(child, 'c')])
      expect([...journal.each()]).toEqual(journal.read({ after: 0 }))
      expect([...journal.each(first)]).toEqual(journal.read({ after: 0, family: first }))
    })

    it('reads a family in pieces, also what is written between two of them', () => {
      using open = opened(create)
      const { journal } = open
      journal.append([began(first, null), titled(first, 'a'), began(second, null), began(child, first)])
      journal.append([titled(second, 'b'), titled(child, 'c'), began(grandchild, child), titled(second, 'd')])
      const read: number[] = []
      let pieces = 0
      for (let after: number | null = 0; after !== null; pieces += 1) {
        const piece = journal.piece({ family: first, after, limit: 2 })
        expect(piece.entries.length).toBeLessThanOrEqual(2)
        read.push(...piece.entries.map(({ sequence }) => sequence))
        after = piece.next
        if (pieces === 1) journal.append([titled(second, 'e'), titled(grandchild, 'f')])
      }
      expect(read).toEqual([1, 2, 4, 6, 7, 10])
      expect(journal.piece({ family: first, after: 6, limit: 9 }).entries).toEqual(
        journal.read({ family: first, after: 6 }),
      )
      expect(journal.piece({ family: second, after: 10, limit: 2 })).toEqual({ entries: [], next: null })
    })

    it('finds messages by the beginnings of their words, latest first and in pages', () => {
      using open = opened(create)
      const find = (query: string, page = {}) =>
        open.journal.find({ place: 'messages', words: wordsOf(query), limit: 10, ...page })
      open.journal.append([said('Rounded to the cent'), titled(first, 'cent'), said('A Café, per cent')])
      open.journal.append([said('cent', 'notice'), noted('cents.md', 'cent'), said('the "quoted" AND (cents) OR *')])
      expect(find('cent')).toEqual([6, 3, 1])
      expect(find('CENT', { limit: 2 })).toEqual([6, 3])
      expect(find('cent', { before: 3 })).toEqual([1])
      expect(find('cent round')).toEqual([1])
      expect(find('cafe')).toEqual([3])
      expect(find('and "or" quot*')).toEqual([6])
      expect(find('a')).toEqual([3])
      expect(find('nothing')).toEqual([])
      expect(find('"(')).toEqual([])
    })

    it('finds memories by name and text, and searches each version separately', () => {
      using open = opened(create)
      open.journal.append([noted('notes/style.md', 'tabs'), said('style'), noted('notes/style.md', 'spaces')])
      const find = (query: string) => open.journal.find({ place: 'memories', words: wordsOf(query), limit: 10 })
      expect(find('style')).toEqual([3, 1])
      expect(find('tabs')).toEqual([1])
    })
  })
}

function opened(create: () => JournalUnderTest): Disposable & JournalUnderTest {
  const under = create()
  return { ...under, [Symbol.dispose]: under.close }
}
