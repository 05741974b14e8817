import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { usageOfProjects } from '../usage/project-usage.ts'
import { findJournal, findThread, listAllThreads } from './stored-threads.ts'

it('finds a thread by its id, the beginning of one, or as the last one', async () => {
  const data = mkdtempSync(join(tmpdir(), 'coppice-threads-'))
  await using host = await openTestHost(data)
  const project = await host.projects.openScratch()
  const create = (title: string) => project.runtime.createThread({ title, model: 'demo', approvalMode: 'ask' })
  const [first, second] = [create('one'), create('two')]
  const same = [...first].findIndex((letter, at) => letter !== second[at]) + 1
  expect(findJournal(data, first).threadId).toBe(first)
  expect(findJournal(data, first.slice(0, same)).threadId).toBe(first)
  expect([first, second]).toContain(findJournal(data, 'last').threadId)
  expect((await findThread(host, second.slice(0, same))).thread.id).toBe(second)
  expect(() => findJournal(data, 'nobody')).toThrow('There is no thread nobody.')
  expect(() => findJournal(data, '')).toThrow('There is no thread')
  if (same > 1) expect(() => findJournal(data, first.slice(0, same - 1))).toThrow('is the beginning of several')
})

it('reads only the entries after a sequence, and knows whether the project is open', async () => {
  const data = mkdtempSync(join(tmpdir(), 'coppice-threads-'))
  const host = await openTestHost(data)
  const project = await host.projects.openScratch()
  const threadId = project.runtime.createThread({ title: 'one', model: 'demo', approvalMode: 'ask' })
  const journal = findJournal(data, threadId)
  expect(journal.isOpen()).toBe(true)
  expect(journal.entries(0).map(({ sequence }) => sequence)).toEqual([1, 2])
  expect(journal.entries(1).map(({ type }) => type)).toEqual(['branch.forked'])
  await host[Symbol.asyncDispose]()
  expect(journal.isOpen()).toBe(false)
})

// Mutation: leave `mayLookInto` out of `storedPlaces`, and the project is passed over in silence.
it.skipIf(process.getuid?.() === 0)('names a project whose folder may not be read', async () => {
  const data = mkdtempSync(join(tmpdir(), 'coppice-threads-'))
  const host = await openTestHost(data)
  const { id } = (await host.projects.openScratch()).info()
  await host[Symbol.asyncDispose]()
  const folder = join(data, 'projects', id)
  chmodSync(folder, 0)
  expect(listAllThreads(data)).toEqual({
    threads: [],
    leftOut: [{ project: folder, problem: 'It may not be read with your rights.' }],
  })
  chmodSync(folder, 0o700)
})

// Mutation: with the catch of `JournalError` alone, a wrong version ends the list of all projects.
it.each([
  ['an entry that is no JSON', "UPDATE entries SET body = 'no JSON'; DELETE FROM folds", 'cannot be read'],
  [
    'an older version than its tables',
    'PRAGMA user_version = 1',
    'says that it is of version 1, but its tables are not',
  ],
  ['a version between', 'PRAGMA user_version = 4', 'says that it is of version 4'],
  ['a newer version', 'PRAGMA user_version = 99', 'newer Coppice'],
  ['no mark of a project', 'PRAGMA application_id = 7', 'not one of a project'],
  ['a table without its columns', 'ALTER TABLE entries RENAME COLUMN body TO other', 'no column named body'],
  ['no threads', 'DROP TABLE threads', 'no such table'],
])('lists the threads of all projects but one with %s, and names that', async (_what, damage, problem) => {
  const data = mkdtempSync(join(tmpdir(), 'coppice-threads-'))
  const host = await openTestHost(data)
  const projects = [await host.projects.openScratch(), await host.projects.openScratch()]
  const [lost = '', kept] = projects.map(({ runtime }) =>
    runtime.createThread({ title: 't', model: 'demo', approvalMode: 'ask' }),
  )
  await host[Symbol.asyncDispose]()
  const damaged = new SqliteDatabase(projects[0]?.databaseFile ?? '')
  damaged.exec(`PRAGMA foreign_keys = OFF; ${damage}`)
  damaged.close()
  const { threads, leftOut } = listAllThreads(data)
  expect(threads.map(({ threadId }) => threadId)).toEqual([kept])
  expect(leftOut).toMatchObject([{ project: 'Scratch', problem: expect.stringContaining(problem) }])
  // A change of the last thread that can be read is one of another project, so the person hears of the rest.
  expect(findJournal(data, 'last')).toMatchObject({ threadId: kept, leftOut })
  expect(findJournal(data, kept ?? '').leftOut).toEqual([])
  expect(() => findJournal(data, lost)).toThrow(`There is no thread ${lost} in what can be read. Left out: Scratch`)
})

// Mutation: without the look at its size, an empty file reads as "no threads".
it('names a project whose journal is an empty file, but not one that somebody begins', async () => {
  const data = mkdtempSync(join(tmpdir(), 'coppice-threads-'))
  const host = await openTestHost(data)
  const projects = [await host.projects.openScratch(), await host.projects.openScratch()]
  const [lost = '', kept] = projects.map(({ runtime }) =>
    runtime.createThread({ title: 't', model: 'demo', approvalMode: 'ask' }),
  )
  await host[Symbol.asyncDispose]()
  const file = projects[0]?.databaseFile ?? ''
  truncateSync(file)
  const found = listAllThreads(data)
  expect(found.threads.map(({ threadId }) => threadId)).toEqual([kept])
  expect(found.leftOut).toMatchObject([{ problem: expect.stringContaining('an empty file') }])
  expect(() => findJournal(data, lost)).toThrow('an empty file')
  const holder = new SqliteDatabase(join(dirname(file), 'lock.db'))
  holder.exec('BEGIN EXCLUSIVE')
  expect(listAllThreads(data).leftOut).toEqual([])
  holder.close()
})

// Mutation: make the lock's database before the `try` of `isProjectOpen`.
it.each<[string, (lock: string) => void]>([
  ['a folder', (lock) => mkdirSync(lock)],
  ['a text', (lock) => writeFileSync(lock, 'no lock')],
  ['a link to nothing', (lock) => symlinkSync('nothing', lock)],
])('lists the threads of all projects when the lock of one is %s', async (_what, damage) => {
  const data = mkdtempSync(join(tmpdir(), 'coppice-threads-'))
  const host = await openTestHost(data)
  const project = await host.projects.openScratch()
  const threadId = project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'ask' })
  await host[Symbol.asyncDispose]()
  const lock = join(dirname(project.databaseFile), 'lock.db')
  rmSync(lock)
  damage(lock)
  expect(listAllThreads(data)).toMatchObject({ threads: [{ threadId }], leftOut: [] })
})

// Mutation: read the record without a look at what it is, or leave `onUnknown` out of `storedPlaces`.
it.skipIf(process.platform === 'win32').each<[string, (record: string) => void]>([
  ['is no JSON', (record) => writeFileSync(record, '{')],
  ['says something else', (record) => writeFileSync(record, '{"rootFolder":7}')],
  ['is a folder', (record) => mkdirSync(record)],
  ['is a pipe that nobody writes to', (record) => void execFileSync('mkfifo', [record])],
  ['leads to nothing', (record) => symlinkSync('nothing', record)],
])('names a project whose record %s, and lists the threads of the others', async (_, damage) => {
  const data = mkdtempSync(join(tmpdir(), 'coppice-threads-'))
  const host = await openTestHost(data)
  const [lost, kept] = [await host.projects.openScratch(), await host.projects.openScratch()]
  const threads = [lost, kept].map(({ runtime }) =>
    runtime.createThread({ title: 't', model: 'demo', approvalMode: 'ask' }),
  )
  await host[Symbol.asyncDispose]()
  const folder = dirname(lost.databaseFile)
  rmSync(join(folder, 'project.json'))
  damage(join(folder, 'project.json'))
  const found = listAllThreads(data)
  expect(found.threads.map(({ threadId }) => threadId)).toEqual([threads[1]])
  const problem = expect.stringContaining('record project.json cannot be read')
  expect(found.leftOut).toEqual([{ project: folder, problem }])
  expect((await usageOfProjects(data, [0])).map((one) => one.problem)).toContainEqual(problem)
})
