import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { acquireProjectLock } from '#adapters/sqlite/file/project-lock.ts'
import { openProjectDatabase } from '#adapters/sqlite/project-database.ts'
import type { BlobHash, ThreadId } from '#shared/model/ids.ts'
import { noUsage } from '#shared/model/models/usage.ts'
import { storedUsageReport, usageOfProjects } from './project-usage.ts'

const hashing = {
  hash: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash,
  gitObjectId: () => '',
}

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'coppice-usage-'))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const fileOf = (id: string) => join(data, 'projects', id, 'project.db')

function describeProject(id: string, name: string): void {
  const folder = join(data, 'projects', id)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'project.json'), JSON.stringify({ id, rootFolder: `/${name}`, kind: 'folder', name }))
}

/** A project with one request for each cost, at 100 ms after the epoch and later. */
function storeProject(id: string, name: string, costs: readonly (number | null)[]) {
  describeProject(id, name)
  let now = 0
  const clock = { now: () => (now += 100), sleep: async () => undefined }
  const database = openProjectDatabase({ file: fileOf(id), clock, hashing })
  for (const cost of costs) {
    const usage = { ...noUsage, modelCalls: 1, outputTokens: 7, cost }
    database.journal.append([{ type: 'usage', threadId: 't' as ThreadId, model: 'm', usage }])
  }
  return database
}

const summary = async (starts: readonly number[] = [0]) =>
  (await usageOfProjects(data, starts)).map(({ name, folder, rows, problem }) => [
    name,
    folder,
    rows.map(({ day, model, usage }) => [day, model, usage.modelCalls, usage.cost]),
    problem,
  ])

it('adds up every project by day and model, while another process has one open', async () => {
  using open = storeProject('1', 'zebra', [1, 2, 4])
  using _lock = acquireProjectLock(join(data, 'projects', '1', 'lock.db'), 'a window')
  storeProject('2', 'apple', [null])[Symbol.dispose]()
  expect(await summary([150, 300])).toEqual([
    ['apple', '/apple', [], null],
    [
      'zebra',
      '/zebra',
      [
        [150, 'm', 1, 2],
        [300, 'm', 1, 4],
      ],
      null,
    ],
  ])
  expect((await summary()).map(([, , rows]) => rows)).toEqual([[[0, 'm', 1, null]], [[0, 'm', 3, 7]]])
  const usage = { ...noUsage, modelCalls: 1, cost: 8 }
  open.journal.append([{ type: 'usage', threadId: 't' as ThreadId, model: 'm', usage }])
  expect((await storedUsageReport(join(data, 'projects', '1'), [0])).rows.map((row) => row.usage.cost)).toEqual([15])
})

it('changes no byte of a database', async () => {
  storeProject('1', 'apple', [1])[Symbol.dispose]()
  const before = readFileSync(fileOf('1'))
  await summary()
  await storedUsageReport(join(data, 'projects', '1'), [0])
  expect(readFileSync(fileOf('1')).equals(before)).toBe(true)
})

it('names a damaged, a newer and a locked database with the reason, and adds up the others', async () => {
  storeProject('1', 'good', [1])[Symbol.dispose]()
  describeProject('2', 'garbled')
  writeFileSync(fileOf('2'), 'This is not a database at all. '.repeat(100))
  storeProject('3', 'newer', [1])[Symbol.dispose]()
  const newer = new Database(fileOf('3'))
  newer.pragma('user_version = 99')
  newer.close()
  storeProject('4', 'locked', [1])[Symbol.dispose]()
  const holder = new Database(fileOf('4'))
  holder.pragma('locking_mode = EXCLUSIVE')
  holder.exec("INSERT INTO entries (thread, at, type, body) VALUES (1, 1, 'run.started', '{}')")
  describeProject('5', 'foreign')
  const foreign = new Database(fileOf('5'))
  foreign.exec('CREATE TABLE entries (sequence INTEGER)')
  foreign.close()
  storeProject('6', 'unreadable', [1])[Symbol.dispose]()
  const unreadable = new Database(fileOf('6'))
  unreadable.exec(`DROP TABLE IF EXISTS checked_entries; UPDATE entries SET body = '{"usage":7}'`)
  unreadable.close()
  describeProject('7', 'without a journal')
  const reportOf = (id: string) => storedUsageReport(join(data, 'projects', id), [0])
  await expect(reportOf('4')).rejects.toMatchObject({ code: 'PROJECT_LOCKED' })
  await expect(reportOf('3')).rejects.toMatchObject({ code: 'UNREADABLE' })
  expect((await reportOf('7')).rows).toEqual([])
  const problems = Object.fromEntries((await summary()).map(([name, , rows, problem]) => [name, problem ?? rows]))
  holder.close()
  expect(problems).toEqual({
    good: [[0, 'm', 1, 1]],
    garbled: expect.stringContaining('is not a database'),
    newer: expect.stringContaining('newer Coppice'),
    locked: expect.stringContaining('Another program holds'),
    foreign: expect.stringContaining('not one of a project'),
    unreadable: expect.stringContaining('cannot be read'),
  })
})
