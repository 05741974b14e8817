import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { wordsOf } from '#shared/model/derived/searched-text.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import { openProjectDatabase } from './project-database.ts'
import { migrations } from './rows/schema.ts'

const searchMigration = migrations.findIndex((sql) => sql.includes('message_words'))
const hashing = { hash: () => '' as BlobHash, gitObjectId: () => '' }
const clock = { now: () => 1_800_000_000_000, sleep: async () => undefined }

const parts = (text: string) => [
  { type: 'text', text },
  { type: 'text', text: 'second part' },
]

function typed(text: string, origin: string): string {
  return JSON.stringify({ message: { role: 'user', messageId: text, origin, content: parts(text) } })
}

function replied(text: string): string {
  const content = [{ type: 'thinking', text: 'hidden', signature: '' }, ...parts(text)]
  return JSON.stringify({ message: { role: 'assistant', messageId: text, content, stopReason: 'end_turn' } })
}

it('makes the journal of an older version searchable and moves its memories into it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-migration-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'project.db')
  const old = new Database(file)
  for (const migration of migrations.slice(0, searchMigration)) old.exec(migration)
  old.pragma(`user_version = ${searchMigration}`)
  const entry = old.prepare("INSERT INTO entries (thread_id, at, type, body) VALUES ('t', 1, ?, ?)")
  entry.run('message', typed('Round the totals', 'person'))
  entry.run('message', replied('Totals are round'))
  entry.run('message', typed('totals of a notice', 'notice'))
  entry.run('run.ended', '{"status":"done","reason":"completed","message":"totals"}')
  const memory = old.prepare("INSERT INTO memories VALUES (?, ?, ?, 't', 'main', ?)")
  memory.run('style.md', 1, 'tabs', 10)
  memory.run('gone.md', 1, 'x', 11)
  memory.run('style.md', 2, 'spaces', 12)
  memory.run('gone.md', 2, null, 13)
  old.close()

  using database = openProjectDatabase({ file, clock, hashing })
  const find = (place: 'messages' | 'memories', query: string) =>
    database.journal.find({ place, words: wordsOf(query), limit: 10 })
  expect(find('messages', 'total')).toEqual([2, 1])
  expect(find('messages', 'second')).toEqual([2, 1])
  expect(find('messages', 'hidden')).toEqual([])
  expect(find('memories', 'style')).toEqual([7, 5])
  const { memories } = database.journal.read({ after: 0 }).reduce(fold, emptyProject)
  expect(memories.get('style.md')).toMatchObject({
    text: 'spaces',
    versions: { length: 2, value: { number: 2, at: 12, agent: 'main', threadId: 't' } },
  })
  expect(memories.get('gone.md')).toMatchObject({ text: null, versions: { length: 2 } })
  expect(readdirSync(folder).filter((name) => name.endsWith('.backup'))).toHaveLength(1)
})
