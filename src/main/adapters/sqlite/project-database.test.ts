import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { BlobHash, ThreadId } from '#shared/model/ids.ts'
import { restoreBackup } from './file/backups.ts'
import { acquireProjectLock } from './file/project-lock.ts'
import { openDatabase } from './open-database.ts'
import { openProjectDatabase } from './project-database.ts'
import { migrations } from './rows/schema.ts'

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
const hashing = { hash, gitObjectId: () => '' }
const threadId = 't' as ThreadId
const entry: EntryDraft = { type: 'run.started', threadId }

let folder: string
let file: string
let time = Date.parse('2026-01-02T03:04:05Z')
const clock = { now: () => time, sleep: async () => undefined }
const open = () => openProjectDatabase({ file, clock, hashing })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-db-'))
  file = join(folder, 'project.db')
  time = Date.parse('2026-01-02T03:04:05Z')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('project database', () => {
  it('stays at synchronous FULL in WAL mode after writes', () => {
    const { database } = openDatabase(file, clock.now)
    database.exec("INSERT INTO entries (thread, at, type, body) VALUES (1, 1, 'x', '{}')")
    expect(database.pragma('synchronous', { simple: true })).toBe(2)
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(database.pragma('page_size', { simple: true })).toBe(8_192)
    expect(database.pragma('foreign_keys', { simple: true })).toBe(1)
    database.close()
  })

  it('keeps scratch files of any size and content over a restart', () => {
    const files = [0, 1, 512, 513, 100_000].flatMap((size) => [Buffer.alloc(size, 'text '), randomBytes(size)])
    {
      using first = open()
      for (const [index, bytes] of files.entries()) first.scratch.write(threadId, `/inputs/${index}`, bytes)
      first.journal.append([entry])
    }
    using again = openProjectDatabase({ file, clock, hashing })
    for (const [index, bytes] of files.entries()) {
      expect(again.scratch.read(threadId, `/inputs/${index}`)).toEqual(new Uint8Array(bytes))
    }
    expect(again.scratch.list(threadId).map(({ size }) => size)).toEqual(files.map(({ length }) => length))
  })

  it('keeps everything over a restart, even blobs and scratch files stored with the last entry', () => {
    const first = open()
    const kept = first.blobs.put(Buffer.from('kept'.repeat(1000)))
    first.scratch.write(threadId, '/inputs/x', new Uint8Array([1]))
    first.journal.append([entry])
    const lost = first.blobs.put(Buffer.from('never appended'))
    first.scratch.write(threadId, '/inputs/x', new Uint8Array([2]))
    first.scratch.write(threadId, '/inputs/y', new Uint8Array([3]))
    first[Symbol.dispose]()
    using second = open()
    expect(second.scratch.list(threadId).map(({ name }) => name)).toEqual(['/inputs/x'])
    expect(second.journal.read({ after: 0 })).toHaveLength(1)
    expect(Buffer.from(second.blobs.get(kept)).toString()).toBe('kept'.repeat(1000))
    expect(() => second.blobs.get(lost)).toThrow(expect.objectContaining({ code: 'missing' }))
    expect(second.scratch.read(threadId, '/inputs/x')).toEqual(new Uint8Array([1]))
  })

  it('never lets entries go back in time when the clock does', () => {
    using database = open()
    const [first] = database.journal.append([entry])
    time -= 3_600_000
    const [second] = database.journal.append([entry])
    expect(second.at).toBe(first.at)
  })

  it('compresses what is worth it and notices a damaged blob', () => {
    const first = open()
    const blob = first.blobs.put(Buffer.from('same '.repeat(100_000)))
    first.journal.append([entry])
    first[Symbol.dispose]()
    expect(statSync(file).size).toBeLessThan(400_000)
    const raw = new Database(file)
    expect(raw.prepare('SELECT length(bytes) FROM blobs').pluck().get()).toBeLessThan(5000)
    raw.exec("UPDATE blobs SET bytes = x'00'")
    raw.close()
    using second = open()
    expect(() => second.blobs.get(blob)).toThrow(expect.objectContaining({ code: 'damaged' }))
  })

  it('compresses long entries and reads them back exactly, and keeps short ones readable in the file', () => {
    const texts = ['é"\\ \u{1F600} '.repeat(500), 'x'.repeat(1100), randomBytes(900).toString('hex'), 'short', '\ud800']
    const titled = (title: string): EntryDraft => ({ type: 'thread.titled', threadId, title })
    const first = open()
    for (const text of texts) first.journal.append([titled(text)])
    first[Symbol.dispose]()
    const raw = new Database(file)
    const lengths = raw.prepare('SELECT length(body) FROM entries ORDER BY sequence').pluck().all()
    expect(lengths[0]).toBeLessThan(200)
    expect(raw.prepare('SELECT body FROM entries WHERE sequence = 4').pluck().get()).toBe('{"title":"short"}')
    raw.close()
    using second = open()
    const read = second.journal.read({ after: 0 }).map((one) => one.type === 'thread.titled' && one.title)
    expect(read).toEqual(texts)
  })

  it('refuses a newer schema and leaves the file as it is', () => {
    open()[Symbol.dispose]()
    const raw = new Database(file)
    raw.pragma(`user_version = ${migrations.length + 1}`)
    raw.close()
    const before = readFileSync(file)
    expect(open).toThrow(expect.objectContaining({ code: 'newer_schema' }))
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it.each([
    ['garbage', () => writeFileSync(file, 'this is not a database '.repeat(1000))],
    ['a cut file', () => truncateSync(file, 20_000)],
    [
      'a page of noise',
      () => {
        const bytes = readFileSync(file)
        bytes.fill(0xa5, 16_384, 65_536)
        writeFileSync(file, bytes)
      },
    ],
  ])('moves %s aside with its date and starts anew', (_, damage) => {
    const first = open()
    first.blobs.put(new Uint8Array(100_000).map((_, index) => index * 7 + (index >> 3)))
    first.journal.append([entry])
    first[Symbol.dispose]()
    damage()
    const damaged = readFileSync(file)
    using second = open()
    expect(second.movedAside).toBe(`${file}.damaged-2026-01-02T03-04-05.000Z`)
    expect(readFileSync(second.movedAside ?? '').equals(damaged)).toBe(true)
    expect(second.journal.append([entry])[0].sequence).toBe(1)
  })

  // Mutation: without the look at its size, an empty file with backups beside it begins anew in silence.
  it.each(['no database', ''])('names the last backup of a database that it moved aside: %j', (content) => {
    writeFileSync(file, content)
    const names = ['v2-2025-12-31T00-00-00.000Z', 'v1-2026-01-01T00-00-00.000Z', 'v10-2024-01-01T00-00-00.000Z']
    for (const name of names) writeFileSync(`${file}.${name}.backup`, '')
    writeFileSync(`${file}.v3-2027-01-01T00-00-00.000Z.backup.part`, '')
    using database = open()
    expect(database.lastBackup).toBe(`${file}.v1-2026-01-01T00-00-00.000Z.backup`)
  })

  it('is copied once a day while it is used, and the copy can replace it', async () => {
    const first = open()
    first.journal.append([entry])
    writeFileSync(`${file}.v1-2025-01-01T00-00-00.000Z.backup`, 'of an older schema')
    expect([await first.backUpDaily(), await first.backUpDaily()]).toEqual([true, false])
    expect(existsSync(`${file}.v1-2025-01-01T00-00-00.000Z.backup`)).toBe(true)
    first.journal.append([entry])
    first[Symbol.dispose]()
    writeFileSync(file, 'no database')
    const second = open()
    const backup = second.lastBackup ?? ''
    expect(second.journal.read({ after: 0 })).toHaveLength(0)
    second[Symbol.dispose]()
    restoreBackup(file, backup, () => Date.UTC(2026, 5, 1))
    using third = open()
    expect(third.journal.read({ after: 0 })).toHaveLength(1)
    expect(existsSync(`${file}.damaged-2026-06-01T00-00-00.000Z`)).toBe(true)
  })

  it('is copied again after a clock that was a year ahead is set right', async () => {
    using database = open()
    const right = time
    time += 365 * 24 * 3_600_000
    expect(await database.backUpDaily()).toBe(true)
    time = right
    expect([await database.backUpDaily(), await database.backUpDaily()]).toEqual([true, false])
  })

  it('ignores a torn tail of the write-ahead log and keeps everything before it', () => {
    using database = open()
    for (let count = 0; count < 5; count += 1) database.journal.append([entry])
    const copy = join(folder, 'copy.db')
    copyFileSync(file, copy)
    copyFileSync(`${file}-wal`, `${copy}-wal`)
    truncateSync(`${copy}-wal`, statSync(`${copy}-wal`).size - 5000)
    using torn = openProjectDatabase({ file: copy, clock, hashing })
    expect(torn.movedAside).toBeNull()
    expect(torn.journal.read({ after: 0 }).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
  })

  it('reports a read-only place as read-only', () => {
    expect(() => openProjectDatabase({ file: '/proc/project.db', clock, hashing })).toThrow(
      expect.objectContaining({ code: 'read_only' }),
    )
  })

  it('reports a full disk, keeps every acknowledged entry and works again with space', () => {
    const fixture = join(import.meta.dirname, 'full-disk.testkit.ts')
    const command = `trap '' XFSZ; ulimit -f 2000; exec "${process.execPath}" "${fixture}" "${file}"`
    const run = spawnSync('bash', ['-c', command], { encoding: 'utf8' })
    const told = JSON.parse(run.stdout)
    expect(told).toMatchObject({ code: 'full', kept: 20_000, read: told.acknowledged })
    expect(told.acknowledged).toBeGreaterThan(5)
    using database = open()
    expect(database.movedAside).toBeNull()
    expect(database.journal.read({ after: 0 })).toHaveLength(told.acknowledged)
    expect(database.journal.append([entry])[0].sequence).toBe(told.acknowledged + 1)
  })

  // Mutation: leave `SQLITE_IOERR_SHMSIZE` out of the codes, and the disk "answers with errors".
  it('says to who only reads that the disk is full', () => {
    open()[Symbol.dispose]()
    const script = `import(${JSON.stringify(join(import.meta.dirname, 'read-entries.ts'))})
      .then(({ readStoredEntries }) => readStoredEntries(${JSON.stringify(file)}, 0))
      .catch(({ code, message }) => console.log(code, message))`
    const command = `trap '' XFSZ; ulimit -f 16; exec "${process.execPath}" -e '${script}'`
    const { stdout } = spawnSync('bash', ['-c', command], { encoding: 'utf8' })
    expect(stdout).toMatch(/^full The disk of the data folder is full/)
  })

  it('loses no acknowledged entry or blob to kill -9', { timeout: 120_000 }, async () => {
    for (let round = 0; round < 5; round += 1) {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'killed-append.testkit.ts'), file])
      let printed = ''
      child.stdout.on('data', (chunk) => {
        printed += chunk
      })
      await once(child.stdout, 'data')
      await setTimeout(20 + Math.random() * 80)
      child.kill('SIGKILL')
      await once(child, 'close')
      const acknowledged = Number(printed.trimEnd().split('\n').at(-1))
      using database = open()
      expect(database.movedAside).toBeNull()
      const entries = database.journal.read({ after: 0 })
      expect(entries.length).toBeGreaterThanOrEqual(acknowledged)
      expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1))
      for (const one of entries) if (one.type === 'thread.titled') database.blobs.get(one.title as BlobHash)
    }
  })
})

describe('project lock', () => {
  const take = () => acquireProjectLock(join(folder, 'project.lock'), 'coppice run', clock.now)

  it('is held once, names its holder, and can be taken again when released', () => {
    const first = take()
    expect(take).toThrow(expect.objectContaining({ code: 'locked' }))
    expect(take).toThrow(`open in coppice run (process ${process.pid}, since 2026-01-02T03:04:05.000Z)`)
    first[Symbol.dispose]()
    take()[Symbol.dispose]()
  })

  it('works between processes and ends with a killed one', async () => {
    const child = spawn(process.execPath, [
      join(import.meta.dirname, 'locked-project.testkit.ts'),
      join(folder, 'project.lock'),
    ])
    await once(child.stdout, 'data')
    expect(take).toThrow(`open in the web shell (process ${child.pid}, since`)
    child.kill('SIGKILL')
    await once(child, 'close')
    take()[Symbol.dispose]()
  })
})
