import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { systemClock } from '../clock/system-clock.ts'
import { migrations } from './rows/schema.ts'
import { createSqliteJournal } from './sqlite-journal.ts'

const started = (more: object = {}): EntryDraft => ({
  type: 'tool.started',
  threadId: 'thread' as ThreadId,
  callId: 'call' as ToolCallId,
  name: 'read_file',
  input: {},
  ...more,
})
const [full, normal] = [2, 1]

/** A journal that notes how SQLite syncs while an append is stored. */
function openNoting() {
  const database = new Database(':memory:')
  for (const migration of migrations) database.exec(migration)
  database.pragma('synchronous = FULL')
  const isSynced = () => Number(database.pragma('synchronous', { simple: true }))
  const noted: number[] = []
  const probe = { flush: () => void noted.push(isSynced()), committed: () => undefined }
  return { database, noted, isSynced, journal: createSqliteJournal(database, systemClock, [probe]) }
}

it('does not wait for the disk when calls start that would start again, and syncs everything else', () => {
  const { journal, noted, isSynced } = openNoting()
  journal.append([started(), started()])
  expect(isSynced()).toBe(full)
  journal.append([started({ outside: true })])
  journal.append([started({ holds: true })])
  journal.append([started(), { type: 'checkpoint', threadId: 'thread' as ThreadId, step: 1, treeHash: '' }])
  expect(noted).toEqual([normal, full, full, full])
})

it('syncs again after a start that could not be stored', () => {
  const { database, journal, isSynced } = openNoting()
  database.exec('DROP TABLE entries')
  expect(() => journal.append([started()])).toThrow(/no such table/)
  expect(isSynced()).toBe(full)
})
