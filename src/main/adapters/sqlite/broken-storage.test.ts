import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { BlobHash, MessageId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { openDatabase } from './open-database.ts'
import { openProjectDatabase } from './project-database.ts'
import { migrations, pageSize } from './rows/schema.ts'
import { createSqliteBlobs, type SqliteBlobs } from './sqlite-blobs.ts'
import { createSqliteJournal } from './sqlite-journal.ts'

/** Damage to a database by disks, other programs and other versions. */
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
const hashing = { hash, gitObjectId: () => '' }
const clock = { now: () => Date.parse('2026-01-02T03:04:05Z'), sleep: async () => undefined }
const threadId = 't' as ThreadId

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-broken-'))
  file = join(folder, 'project.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Puts a copy in the place of a file. */
function copyOver(path: string): void {
  copyFileSync(path, `${path}.other`)
  renameSync(`${path}.other`, path)
}

// Mutation: without `requireInPlace` the second step counts as stored, in a file that nobody can open again.
it.each([
  ['removed', () => rmSync(file)],
  ['replaced', () => copyOver(file)],
  ['gone with its folder', () => rmSync(folder, { recursive: true })],
] as const)('stores nothing more in a file that was %s', (_what, lose) => {
  using opened = openProjectDatabase({ file, clock, hashing })
  const draft = { type: 'thread.renamed', threadId, title: 'x' } as unknown as EntryDraft
  opened.journal.append([draft])
  lose()
  expect(() => opened.journal.append([draft])).toThrow('was removed or replaced while the project was open')
})

/** One step as the loop stores it: several entries, and a blob of the given size that the first entry names. */
function stepOf(blobs: SqliteBlobs, size: number): [EntryDraft, EntryDraft] {
  return [
    { type: 'thread.titled', threadId, title: blobs.store.put(randomBytes(size)) },
    { type: 'run.started', threadId },
  ]
}

function openParts(path = file) {
  const { database } = openDatabase(path, clock.now)
  const blobs = createSqliteBlobs(database, hashing)
  return { database, blobs, journal: createSqliteJournal(database, clock, [blobs]) }
}

describe('a torn write-ahead log', () => {
  it('leaves whole steps and everything written before, when cut at or inside any frame', () => {
    const { database, blobs, journal } = openParts()
    database.pragma('wal_checkpoint(TRUNCATE)')
    const ends = [0]
    for (let step = 1; step <= 12; step += 1) {
      journal.append(stepOf(blobs, 3_000 + step * 4_000))
      ends.push(statSync(`${file}-wal`).size)
    }
    const frame = 24 + pageSize
    const length = ends.at(-1) ?? 0
    const frames = Math.floor((length - 32) / frame)
    expect(frames).toBeGreaterThan(40)
    const cuts = Array.from({ length: frames + 1 }, (_, index) => 32 + index * frame)
    for (const cut of [
      0,
      16,
      ...cuts.flatMap((at) => [at, at + 12, at + 24 + pageSize / 2]).filter((at) => at <= length),
    ]) {
      const copy = join(folder, 'copy.db')
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true })
      copyFileSync(file, copy)
      copyFileSync(`${file}-wal`, `${copy}-wal`)
      truncateSync(`${copy}-wal`, cut)
      const whole = ends.filter((end) => end > 0 && end <= cut).length
      const torn = openParts(copy)
      const kept = torn.journal.read({ after: 0 })
      expect(kept.length, `cut at ${cut}`).toBe(2 * whole)
      for (const entry of kept) if (entry.type === 'thread.titled') torn.blobs.store.get(entry.title as BlobHash)
      expect(torn.database.pragma('integrity_check', { simple: true })).toBe('ok')
      expect(torn.journal.append([{ type: 'run.started', threadId }])[0].sequence).toBe(2 * whole + 1)
      torn.database.close()
    }
    database.close()
  })
})

describe('a full disk', () => {
  it('refuses the whole step, keeps what was acknowledged, and accepts the same step when there is room', () => {
    const { database, blobs, journal } = openParts()
    database.pragma('max_page_count = 120')
    let acknowledged = 0
    const refused = () => {
      for (let step = 1; step < 100; step += 1)
        acknowledged = journal.append(stepOf(blobs, 40_000)).at(-1)?.sequence ?? acknowledged
    }
    expect(refused).toThrow(expect.objectContaining({ code: 'full', message: expect.stringContaining('disk is full') }))
    expect(acknowledged).toBeGreaterThan(4)
    expect(journal.read({ after: 0 }).at(-1)?.sequence).toBe(acknowledged)
    expect(() => journal.append(stepOf(blobs, 40_000))).toThrow(expect.objectContaining({ code: 'full' }))
    database.pragma('max_page_count = 2000')
    const drafts = stepOf(blobs, 40_000)
    const [entry] = journal.append(drafts)
    expect(entry.sequence).toBe(acknowledged + 1)
    database.close()
    using again = openProjectDatabase({ file, clock, hashing })
    const entries = again.journal.read({ after: 0 })
    expect(entries).toHaveLength(acknowledged + 2)
    for (const one of entries) if (one.type === 'thread.titled') again.blobs.get(one.title as BlobHash)
  })
})

describe('a folder that cannot be written', () => {
  it.skipIf(process.getuid?.() === 0)('is reported by name and left unchanged', () => {
    openProjectDatabase({ file, clock, hashing })[Symbol.dispose]()
    const before = readFileSync(file)
    chmodSync(file, 0o444)
    chmodSync(folder, 0o555)
    try {
      expect(() => openProjectDatabase({ file, clock, hashing })).toThrow(
        expect.objectContaining({ code: 'read_only' }),
      )
    } finally {
      chmodSync(folder, 0o755)
    }
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})

describe('a migration', () => {
  it.each(migrations.map((_, version) => version))(
    'from version %i leaves that version whole when cut at any statement',
    (version) => {
      for (let cut = 0; cut < statementsOf(migrations[version] ?? '').length; cut += 1) {
        const path = join(folder, `v${version}-${cut}.db`)
        const raw = new Database(path)
        raw.pragma(`page_size = ${pageSize}`)
        raw.pragma('journal_mode = WAL')
        for (const migration of migrations.slice(0, version)) raw.exec(migration)
        raw.pragma(`user_version = ${version}`)
        if (version > 0) raw.exec(anEntry)
        const before = dump(raw)
        raw.close()
        killedDuring(path, version, cut)
        const after = new Database(path)
        expect(dump(after)).toEqual(before)
        expect(after.pragma('integrity_check', { simple: true })).toBe('ok')
        after.close()
        const { database, movedAside } = openDatabase(path, clock.now)
        expect(movedAside).toBeNull()
        expect(database.pragma('user_version', { simple: true })).toBe(migrations.length)
        expect(database.prepare('SELECT count(*) FROM entries').pluck().get()).toBe(version > 0 ? 1 : 0)
        database.close()
      }
    },
  )
})

const anEntry = `INSERT INTO entries (thread_id, at, type, body) VALUES ('t', 1, 'run.started', '{}')`

/** A process that dies inside the transaction leaves uncommitted data in its log. Nobody rolls it back. */
function killedDuring(path: string, version: number, cut: number): void {
  const raw = new Database(path)
  // A small cache spills uncommitted pages into the log, as a long migration does.
  raw.pragma('cache_size = 1')
  raw.exec('BEGIN EXCLUSIVE')
  for (const statement of statementsOf(migrations[version] ?? '').slice(0, cut + 1)) raw.exec(statement)
  const left = ['', '-wal'].map((suffix) => readFileSync(`${path}${suffix}`))
  raw.exec('ROLLBACK')
  raw.close()
  rmSync(`${path}-wal`, { force: true })
  for (const [index, suffix] of ['', '-wal'].entries()) writeFileSync(`${path}${suffix}`, left[index] ?? '')
}

function statementsOf(migration: string): readonly string[] {
  return migration.split(';').filter((statement) => statement.trim() !== '')
}

function dump(database: Database.Database): unknown {
  return {
    version: database.pragma('user_version', { simple: true }),
    schema: database.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all(),
  }
}

describe('an entry that this version cannot read', () => {
  const readBack = (change: string): readonly unknown[] => {
    {
      using database = openProjectDatabase({ file, clock, hashing })
      database.journal.append([{ type: 'thread.titled', threadId, title: 'Kept' }])
    }
    const raw = new Database(file)
    raw.exec(`DROP TABLE checked_entries; ${change}`)
    raw.close()
    using database = openProjectDatabase({ file, clock, hashing })
    return database.journal.read({ after: 0 })
  }

  // Mutation: leave `hasTable` out of `migrate`.
  it('moves a database of something else aside, and begins a new one', () => {
    rmSync(file, { force: true })
    const raw = new Database(file)
    raw.exec("CREATE TABLE entries (note TEXT); INSERT INTO entries VALUES ('mine')")
    raw.close()
    const { movedAside, ...database } = openProjectDatabase({ file, clock, hashing })
    database[Symbol.dispose]()
    const kept = new Database(movedAside ?? '', { readonly: true })
    expect(kept.prepare('SELECT note FROM entries').pluck().get()).toBe('mine')
    kept.close()
  })

  it.each([
    ['has a field of another kind', `UPDATE entries SET body = '{"title":7}'`, 'title'],
    ['lacks a field', `UPDATE entries SET body = '{}'`, 'title'],
    ['is of an unknown type', `UPDATE entries SET type = 'thread.painted'`, 'type'],
    ['is not JSON', `UPDATE entries SET body = '{"title"'`, 'entry'],
    ['is JSON but not an object', `UPDATE entries SET body = '7'`, 'title'],
  ])('is named with its place when it %s, and stays stored', (_, change, place) => {
    expect(() => readBack(change)).toThrow(
      expect.objectContaining({
        name: 'JournalError',
        code: 'damaged',
        message: expect.stringMatching(
          new RegExp(`^Entry 1 of the journal, “thread\\.\\w+”, cannot be read \\(${place}: .*Nothing was changed\\.`),
        ),
      }),
    )
    const raw = new Database(file, { readonly: true })
    expect(raw.prepare('SELECT count(*) FROM entries').pluck().get()).toBe(1)
    raw.close()
  })

  it('keeps fields that only a later version knows, and the order of the keys', () => {
    const entries = readBack(`UPDATE entries SET body = '{"later":{"b":1,"a":2},"title":"Kept"}'`)
    expect(JSON.stringify(entries[0])).toContain('{"later":{"b":1,"a":2},"title":"Kept"')
  })
})

describe('a small database that is opened', () => {
  const said: EntryDraft = {
    ...{ type: 'message', threadId },
    message: {
      ...{ role: 'user', messageId: 'm' as MessageId, origin: 'person' },
      content: [{ type: 'text', text: 'Some words that are searched for' }],
    },
  }

  function fill(): void {
    using database = openProjectDatabase({ file, clock, hashing })
    for (let count = 0; count < 200; count += 1) {
      database.blobs.put(randomBytes(100))
      database.journal.append([said])
    }
  }

  it('is moved aside for damage in any of its tables and indexes', () => {
    fill()
    const raw = new Database(file, { readonly: true })
    const roots = raw
      .prepare<[], { name: string; rootpage: number }>('SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0')
      .all()
    raw.close()
    expect(roots.length).toBeGreaterThan(15)
    const whole = readFileSync(file)
    for (const { name, rootpage } of roots) {
      const copy = join(folder, `${name}.db`)
      writeFileSync(copy, Buffer.from(whole).fill(0xff, (rootpage - 1) * pageSize, rootpage * pageSize))
      const { database, movedAside } = openDatabase(copy, clock.now)
      database.close()
      expect(movedAside, name).not.toBeNull()
    }
  })

  it('is checked as a whole when it has no map of its pages, as the oldest have none', () => {
    fill()
    const raw = new Database(file).unsafeMode()
    raw.pragma('auto_vacuum = NONE')
    raw.exec('VACUUM; DELETE FROM message_words_data WHERE id = 10')
    expect(raw.pragma('auto_vacuum', { simple: true })).toBe(0)
    raw.close()
    using again = openProjectDatabase({ file, clock, hashing })
    expect(again.movedAside).not.toBeNull()
  })

  it.each([
    ['other words', "UPDATE message_words_data SET block = x'0004' WHERE id > 1000"],
    ['no words', 'DELETE FROM message_words_data WHERE id > 1000'],
    ['an unreadable list', "UPDATE message_words_data SET block = x'ffffffffff' WHERE id = 10"],
    ['no list', 'DELETE FROM message_words_data WHERE id = 10'],
  ])('loses no entry to a damaged index of words, which is made again: %s', (_, damage) => {
    fill()
    const raw = new Database(file).unsafeMode()
    raw.exec(damage)
    raw.close()
    using again = openProjectDatabase({ file, clock, hashing })
    expect(again.movedAside).toBeNull()
    const find = () => again.journal.find({ place: 'messages', words: ['searched'], limit: 1_000 })
    for (let count = 0; count < 50; count += 1) again.journal.append([said])
    expect(again.journal.read({ after: 0 })).toHaveLength(250)
    expect(find()).toHaveLength(250)
    again.journal.append([said])
    expect(find()).toHaveLength(251)
  })

  it('makes a damaged index of words again also when an old entry cannot be read', () => {
    fill()
    const raw = new Database(file).unsafeMode()
    raw.exec("UPDATE entries SET body = '{' WHERE sequence = 3; DELETE FROM message_words_data WHERE id = 10")
    raw.close()
    using again = openProjectDatabase({ file, clock, hashing })
    again.journal.append([said])
    expect(again.journal.find({ place: 'messages', words: ['searched'], limit: 1_000 })).toHaveLength(200)
  })
})

describe('entries that were checked', () => {
  const titled: EntryDraft = { type: 'thread.titled', threadId, title: 'Kept' }
  const change = (sql: string) => {
    const raw = new Database(file)
    raw.exec(sql)
    raw.close()
  }
  const readAll = () => {
    using database = openProjectDatabase({ file, clock, hashing })
    return database.journal.read({ after: 0 }).length
  }

  it('are not checked again, until a version with other schemas opens them', () => {
    {
      using database = openProjectDatabase({ file, clock, hashing })
      database.journal.append([titled])
      database.journal.append([titled])
    }
    change(`UPDATE entries SET body = '{"title":7}' WHERE sequence = 1`)
    expect(readAll()).toBe(2)
    change('UPDATE checked_entries SET up_to = 1')
    change(`UPDATE entries SET body = '{"title":7}' WHERE sequence = 2`)
    expect(readAll).toThrow('Entry 2 of the journal')
    change(`UPDATE entries SET body = '{"title":"Kept"}' WHERE sequence = 2; UPDATE checked_entries SET version = 0`)
    expect(readAll).toThrow('Entry 1 of the journal')
  })

  it('are named like any other when they are no JSON any more', () => {
    {
      using database = openProjectDatabase({ file, clock, hashing })
      database.journal.append([titled])
    }
    change(`UPDATE entries SET body = '{"title"'`)
    expect(readAll).toThrow('Entry 1 of the journal, “thread.titled”, cannot be read')
  })

  it('are noted every thousand entries, so that a crash loses little of it', () => {
    const database = openProjectDatabase({ file, clock, hashing })
    for (let count = 0; count < 1_001; count += 1) database.journal.append([titled])
    const raw = new Database(file, { readonly: true })
    expect(raw.prepare('SELECT up_to FROM checked_entries').pluck().get()).toBe(1_000)
    raw.close()
    database[Symbol.dispose]()
  })

  it('are known when threads were read one by one, in any order', () => {
    const other = 'other' as ThreadId
    {
      using database = openProjectDatabase({ file, clock, hashing })
      database.journal.append([titled, { ...titled, threadId: other }, titled])
    }
    change('DROP TABLE checked_entries')
    {
      using database = openProjectDatabase({ file, clock, hashing })
      for (const id of [other, threadId]) database.journal.read({ after: 0, threadId: id })
    }
    change(`UPDATE entries SET body = '{"title":7}'`)
    expect(readAll()).toBe(3)
  })

  it('do not count where rows in between were not read', () => {
    {
      using database = openProjectDatabase({ file, clock, hashing })
      database.journal.append([titled, titled, titled])
    }
    change('DROP TABLE checked_entries')
    {
      using database = openProjectDatabase({ file, clock, hashing })
      expect(database.journal.read({ after: 1 })).toHaveLength(2)
      expect(database.journal.read({ after: 0, types: ['run.started'] })).toHaveLength(0)
    }
    change(`UPDATE entries SET body = '{"title":7}' WHERE sequence = 1`)
    expect(readAll).toThrow('Entry 1 of the journal')
  })
})

it('reads back what was appended, however deep the arguments of a call are nested', () => {
  const depth = 3_000
  const input = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as JsonObject
  const callId = 'call' as ToolCallId
  {
    using database = openProjectDatabase({ file, clock, hashing })
    const started = { type: 'call.derived', threadId, callId, from: callId, name: 'execute', input } as const
    database.journal.append([started])
  }
  using database = openProjectDatabase({ file, clock, hashing })
  expect(JSON.stringify(database.journal.read({ after: 0 }))).toContain(JSON.stringify(input))
})
