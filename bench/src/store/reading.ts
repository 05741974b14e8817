import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { nodeHashing } from '../../../packages/overlay/src/node.ts'
import { systemClock } from '../../../src/main/adapters/clock/system-clock.ts'
import { openProjectDatabase } from '../../../src/main/adapters/sqlite/project-database.ts'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import { openProjectLog, type ProjectLog } from '../../../src/main/core/journal/project-log.ts'
import { rewindDrafts } from '../../../src/main/core/journal/rewind.ts'
import type { Entry } from '../../../src/shared/model/entry.ts'
import type { MessageId, Sequence } from '../../../src/shared/model/ids.ts'
import { isQuick } from '../support/flags.ts'
import { temporaryFolder } from '../support/folders.ts'
import { figuresOf, sideBySide, summarise, timed } from '../support/measure.ts'
import { type Row, versus } from '../support/report.ts'
import { openStepThread, type StepThread } from './durable-steps.ts'

const entriesOfStep = 5
const pageOfMessages = 50
/** Each step writes three files, so that 1,000 files go back. */
const rewoundSteps = 334

/** Goal 7: the time to open a thread again. */
export async function readingRows(): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  return [
    await reopenRow(join(folder.path, 'short'), isQuick ? 200 : 1_000),
    ...(await largeRows(join(folder.path, 'long'), (isQuick ? 10_000 : 100_000) / entriesOfStep)),
    ...(await threadRows(join(folder.path, 'thread'))),
  ]
}

async function reopenRow(folder: string, steps: number): Promise<Row> {
  threadOf(folder, steps)[Symbol.dispose]()
  const raw = rawRows(folder)
  const { coppice, peer } = await sideBySide(
    () => timed(() => reopen(folder)),
    () => timed(raw),
    { runs: 9 },
  )
  const operation = `reopen a thread of ${steps.toLocaleString('en')} steps`
  return { operation, unit: 'ms', coppice, ...versus('raw read of the rows', peer, 2) }
}

async function largeRows(folder: string, steps: number): Promise<readonly Row[]> {
  threadOf(folder, steps)[Symbol.dispose]()
  const coppice = summarise(await figuresOf(() => timed(() => reopen(folder)), { runs: 5 }))
  const operation = `reopen a project of ${(steps * entriesOfStep).toLocaleString('en')} entries`
  return [{ operation, unit: 'ms', coppice, goal: { text: '≤ 1 s', limit: 1_000 } }]
}

async function threadRows(folder: string): Promise<readonly Row[]> {
  const rewinds: number[] = []
  const pages: number[] = []
  for (let run = 0; run < 6; run += 1) {
    using thread = threadOf(join(folder, String(run)), 1_000)
    const { log } = thread
    const end = log.state.sequence
    pages.push(await timed(() => log.entriesAfter(end - pageOfMessages * entriesOfStep)))
    rewinds.push(await timed(() => appendTo(log, wayBack(log, end - rewoundSteps * entriesOfStep))))
  }
  return [
    {
      operation: 'a page of history: 50 messages and what they did',
      unit: 'ms',
      coppice: summarise(pages.slice(1)),
      goal: { text: '≤ 5 ms', limit: 5 },
    },
    {
      operation: 'rewind of 1,000 files, stored',
      unit: 'ms',
      coppice: summarise(rewinds.slice(1)),
      goal: { text: '≤ 20 ms', limit: 20 },
    },
  ]
}

function wayBack(log: ProjectLog, to: Sequence) {
  const [threadId] = log.state.threads.keys()
  if (threadId === undefined) throw new Error('There is no thread to rewind')
  return rewindDrafts(log, { threadId, to, files: true, conversation: true, undoes: null, noticeId: '' as MessageId })
}

function threadOf(folder: string, steps: number): StepThread {
  mkdirSync(folder, { recursive: true })
  const thread = openStepThread(folder)
  for (let step = 0; step < steps; step += 1) thread.step()
  return thread
}

function reopen(folder: string): void {
  using database = openProjectDatabase({ file: join(folder, 'project.db'), clock: systemClock, hashing: nodeHashing })
  openProjectLog(database.journal, () => {})
}

/** The same entries as plain rows: only read and parsed. */
function rawRows(folder: string): () => readonly Entry[] {
  const Database = createRequire(new URL('../../../package.json', import.meta.url))('better-sqlite3')
  const plain = new Database(join(folder, 'plain.db'))
  plain.exec('CREATE TABLE entries (sequence INTEGER PRIMARY KEY, body TEXT)')
  const insert = plain.prepare('INSERT INTO entries (body) VALUES (?)')
  using database = openProjectDatabase({ file: join(folder, 'project.db'), clock: systemClock, hashing: nodeHashing })
  for (const entry of database.journal.read({ after: 0 })) insert.run(JSON.stringify(entry))
  plain.close()
  return () => {
    const read = new Database(join(folder, 'plain.db'), { readonly: true })
    const rows: readonly { readonly body: string }[] = read.prepare('SELECT * FROM entries').all()
    const entries = rows.map(({ body }) => JSON.parse(body))
    read.close()
    return entries
  }
}
