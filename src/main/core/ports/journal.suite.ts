import { describe, expect, it } from 'vitest'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { Journal } from './journal.ts'

const first = 'thread-1' as ThreadId
const second = 'thread-2' as ThreadId

export interface JournalUnderTest {
  readonly journal: Journal
  readonly close: () => void
}

export function titled(threadId: ThreadId, title: string): EntryDraft {
  return { type: 'thread.titled', threadId, title }
}

export function describeJournal(name: string, create: () => JournalUnderTest): void {
  describe(`Journal: ${name}`, () => {
    it('numbers entries from 1 without gaps, over all threads', () => {
      using open = opened(create)
      const one = open.journal.append([titled(first, 'a'), titled(second, 'b')])
      const two = open.journal.append([titled(first, 'c')])
      expect([...one, ...two].map((entry) => entry.sequence)).toEqual([1, 2, 3])
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
  })
}

function opened(create: () => JournalUnderTest): Disposable & JournalUnderTest {
  const under = create()
  return { ...under, [Symbol.dispose]: under.close }
}
