import { describe, expect, it } from 'vitest'
import { wordsOf } from '#shared/model/derived/searched-text.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import type { EntryQuery, Journal } from './journal.ts'

const first = 'thread-1' as ThreadId
const second = 'thread-2' as ThreadId

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
