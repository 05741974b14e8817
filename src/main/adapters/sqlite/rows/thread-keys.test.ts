import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeHashing } from '#overlay/node'
import type { EntryDraft } from '#shared/model/entry.ts'
import { parentOf, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { openProjectDatabase } from '../project-database.ts'
import { openStoredProject, readStoredEntries } from '../read-entries.ts'
import { openStoredJournal } from '../stored-journal.ts'
import { versionWithKeys } from './entry-rows.ts'
import { migrations } from './schema.ts'

const clock = { now: () => 1_000, sleep: async () => undefined }
const [root, child, other] = ['root', 'child', 'other'] as ThreadId[] as [ThreadId, ThreadId, ThreadId]

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-keys-'))
  file = join(folder, 'project.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = () => openProjectDatabase({ file, clock, hashing: nodeHashing })
const titled = (threadId: ThreadId) => ({ type: 'thread.titled', threadId, title: `of ${threadId}` }) as const

/** A database whose rows hold the ids of their threads. */
function makeFormer(): void {
  const former = new Database(file)
  for (const migration of migrations.slice(0, versionWithKeys - 1)) former.exec(migration)
  former.pragma('application_id = 0x636f7070')
  former.pragma(`user_version = ${versionWithKeys - 1}`)
  const insert = former.prepare('INSERT INTO entries (thread_id, at, type, body) VALUES (?, 1, ?, ?)')
  const bodies = [
    { ...threadCreated('b' as BranchId), threadId: root },
    { ...threadCreated('c' as BranchId, { parent: parentOf(root, 'h') }), threadId: child },
    { ...threadCreated('d' as BranchId), threadId: other },
    ...[child, root, other, child].map(titled),
  ]
  for (const { threadId, type, ...body } of bodies) insert.run(threadId, type, JSON.stringify(body))
  const addRoot = former.prepare('INSERT INTO thread_roots VALUES (?, ?, ?)')
  for (const [index, [id, itsRoot]] of [
    [root, root],
    [child, root],
    [other, other],
  ].entries())
    addRoot.run(id, itsRoot, index + 1)
  former.prepare("INSERT INTO branch_owners VALUES ('c', ?)").run(child)
  former.prepare("INSERT INTO scratch VALUES (?, '/inputs/x', 5, x'0102')").run(root)
  former.close()
}

const owners = (entries: readonly { readonly threadId: ThreadId }[]) => entries.map(({ threadId }) => threadId)

describe('a database whose rows hold the ids of their threads', () => {
  const all = [root, child, other, child, root, other, child]

  it('is read as it is, and has keys once it is opened', () => {
    makeFormer()
    const types = ['thread.created', 'thread.titled'] as const
    const read = () => {
      using stored = openStoredJournal(file)
      return [...stored.pages(2, types)].flat()
    }
    const before = read()
    expect(owners(before)).toEqual(all)
    expect(readStoredEntries(file)).toEqual(before)
    open()[Symbol.dispose]()
    expect(read()).toEqual(before)
    expect(readStoredEntries(file)).toEqual(before)
  })

  it('keeps its entries, families and files', () => {
    makeFormer()
    using database = open()
    const { journal, scratch } = database
    expect(owners(journal.read({ after: 0 }))).toEqual(all)
    expect(owners(journal.read({ after: 0, family: root }))).toEqual(all.filter((id) => id !== other))
    expect(journal.read({ after: 0, threadId: child }).map(({ sequence }) => sequence)).toEqual([2, 4, 7])
    expect(journal.roots()).toEqual([root, other])
    expect([child, 'c' as BranchId].map(journal.rootOf)).toEqual([root, root])
    expect(scratch.list(root)).toEqual([{ name: '/inputs/x', size: 2, modified: 5, revision: 0 }])
    expect(scratch.read(root, '/inputs/x')).toEqual(new Uint8Array([1, 2]))
  })
})

it('opens with an entry that cannot be read, whose family it knows', () => {
  makeFormer()
  const former = new Database(file)
  former.exec("UPDATE entries SET body = '{' WHERE sequence = 2")
  former.close()
  using database = open()
  expect(database.journal.rootOf(child)).toBe(root)
  expect(owners(database.journal.read({ after: 2 }))).toEqual([other, child, root, other, child])
})

it('gives a thread its key again after the step with its first entry was rolled back', () => {
  using database = open()
  const { journal } = database
  const raw = new Database(file)
  raw.exec(`CREATE TRIGGER refuse BEFORE INSERT ON entries WHEN new.body LIKE '%refused%' BEGIN
    SELECT raise(ABORT, 'refused'); END`)
  raw.close()
  const refused = { type: 'thread.titled', threadId: root, title: 'refused' } as const
  expect(() => journal.append([titled(root), refused])).toThrow('refused')
  journal.append([titled(other)])
  journal.append([titled(root)])
  expect(owners(journal.read({ after: 0 }))).toEqual([other, root])
  expect(owners(journal.read({ after: 0, threadId: root }))).toEqual([root])
})

function remembered(text: string): EntryDraft {
  const by = { agent: 'main', callId: null, restores: null }
  return { type: 'memory.written', threadId: root, name: 'style.md', text, ...by }
}

/** A database with many words, whose index SQLite finds damaged. */
function makeDamagedIndex(): void {
  {
    using database = open()
    for (let count = 0; count < 40; count += 1)
      database.journal.append([remembered(`words ${'w '.repeat(6_000)}${count}`)])
  }
  const raw = new Database(file).unsafeMode()
  raw.exec('DELETE FROM memory_words_data WHERE id = 10')
  raw.close()
}

it('gives a thread its key when the step with its first rows is stored again, over an index made again', () => {
  makeDamagedIndex()
  using database = open()
  const { journal, scratch } = database
  journal.append([remembered('v '.repeat(20_000))])
  scratch.write(other, '/inputs/x', new Uint8Array([1]))
  journal.append([titled(other)])
  journal.append([titled(child)])
  expect(owners(journal.read({ after: 41 }))).toEqual([other, child])
  expect([other, child].map((id) => scratch.list(id).length)).toEqual([1, 0])
})

it('says that the index is damaged to a reader that must not make it again', () => {
  makeDamagedIndex()
  using stored = openStoredProject(file, nodeHashing)
  expect(() => stored?.journal.find({ place: 'memories', words: ['words'], limit: 50 })).toThrow('damaged')
})

it('makes the index again when nobody knows what it holds', () => {
  open()[Symbol.dispose]()
  const raw = new Database(file)
  raw.exec('DELETE FROM indexed_words')
  raw.close()
  using database = open()
  const find = () => database.journal.find({ place: 'memories', words: ['tabs'], limit: 5 })
  for (let count = 0; count < 3; count += 1) database.journal.append([remembered('tabs')])
  expect(find()).toEqual([3, 2, 1])
  database.journal.append([remembered('v '.repeat(20_000))])
  database.journal.append([titled(root)])
  expect(find()).toEqual([3, 2, 1])
})

it('finds the words that a process had not written when it was killed', () => {
  using killed = open()
  killed.journal.append([remembered('tabs')])
  const copy = new Database(file, { readonly: true })
  copy.exec(`VACUUM INTO '${join(folder, 'copy.db')}'`)
  expect(copy.prepare('SELECT up_to FROM indexed_words').pluck().get()).toBe(0)
  copy.close()
  using again = openProjectDatabase({ file: join(folder, 'copy.db'), clock, hashing: nodeHashing })
  const find = () => again.journal.find({ place: 'memories', words: ['tabs'], limit: 5 })
  expect(find()).toEqual([1])
  for (let count = 0; count < 1_001; count += 1) again.journal.append([titled(root)])
  expect(find()).toEqual([1])
})
