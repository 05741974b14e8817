import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createMemoryJournal } from '#core/ports/journal.testkit.ts'
import { repeats } from '#core/ports/test-size.testkit.ts'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import { wordsOf } from '#shared/model/derived/searched-text.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { BlobHash, MessageId, ThreadId } from '#shared/model/ids.ts'
import { openProjectDatabase } from './project-database.ts'

const now = () => 1_700_000_000_000
const hashing = { hash: () => '' as BlobHash, gitObjectId: () => '' }

/** Words as people write them, with cases and accents, and texts that look like operators of a query language. */
const word = fc.constantFrom(
  ...[
    'cent',
    'cents',
    'Cent',
    'CAFÉ',
    'cafe',
    'café',
    'naïve',
    'Straße',
    'über',
    'ключ',
    'Ключи',
    '金额',
    'v2',
    '2',
    'a',
  ],
  ...[
    'AND',
    'or',
    'NOT',
    'NEAR',
    '"',
    '*',
    '(',
    ')',
    ':',
    '^',
    '-',
    "it's",
    'snake_case',
    'x+y',
    'e\u0301'.repeat(30),
    'w'.repeat(39),
    'w'.repeat(40),
    'w'.repeat(200),
    'text',
    '\u0000',
  ],
)
const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))

function said(content: string, index: number): EntryDraft {
  const message = { role: 'user', messageId: `m${index}` as MessageId, origin: 'person' } as const
  return {
    type: 'message',
    threadId: 't' as ThreadId,
    message: { ...message, content: [{ type: 'text', text: content }] },
  }
}

/** So much text is written into the index with the next entry. */
const filling = ' '.repeat(40_000)

it.each([
  ['waits for the index', []],
  ['is in the index', [filling, 'more']],
])('finds the same entries in the database as a plain search of every entry: text that %s', (_, after) => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-words-'))
  const database = openProjectDatabase({
    file: join(folder, 'project.db'),
    clock: { now, sleep: async () => undefined },
    hashing,
  })
  onTestFinished(() => {
    database[Symbol.dispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  const plain = createMemoryJournal(now)
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), text, (texts, query) => {
      for (const drafts of [texts, ...after.map((one) => [one])].map((part) => part.map(said))) {
        if (!isNonEmpty(drafts)) return
        database.journal.append(drafts)
        plain.append(drafts)
      }
      const asked = { place: 'messages', words: wordsOf(query), limit: 50 } as const
      expect(database.journal.find(asked)).toEqual(plain.find(asked))
    }),
    { numRuns: repeats(100, 1500) },
  )
})
