import { join } from 'node:path'
import { systemClock } from '../../../src/main/adapters/clock/system-clock.ts'
import { nodeHashing } from '../../../src/main/adapters/hashing/node-hashing.ts'
import { openProjectDatabase } from '../../../src/main/adapters/sqlite/project-database.ts'
import { openProjectLog } from '../../../src/main/core/journal/project-log.ts'
import { outlineOf } from '../../../src/shared/model/derived/outline.ts'
import { databaseFileOf } from '../support/database-file.ts'
import { isQuick } from '../support/flags.ts'
import { heldBytes } from '../support/held-bytes.ts'
import { summarise, timed } from '../support/measure.ts'
import { type Row, versus } from '../support/report.ts'
import { addThread, type MadeProject, makeJournal } from '../window/journals.ts'

const many = isQuick ? 100_000 : 1_000_000
/** Two for each message. */
const entriesOfThread = 1_000
const runs = 7

/** How long a project takes to open, and what it holds then: one with a long history beside a new one. */
export async function historyRows(): Promise<readonly Row[]> {
  using little = await makeHistory(entriesOfThread)
  using long = await makeHistory(many)
  const [own, few] = [await measure(long), await measure(little)]
  const name = `${many.toLocaleString('en')} entries`
  return [
    {
      operation: `project of ${name}: opened, its last thread there`,
      unit: 'ms',
      coppice: own.time,
      goal: { text: '≤ 300 ms', limit: 300 },
    },
    {
      operation: `project of ${name}: opened, its last thread there`,
      unit: 'ms',
      coppice: own.time,
      ...versus('one of 1,000', few.time, 1.5),
    },
    {
      operation: `project of ${name}: held in memory`,
      unit: 'MB',
      coppice: own.memory,
      ...versus('one of 1,000', few.memory, 1.3),
    },
  ]
}

/** A project of threads that ended. The last one has the same length whatever the project's. */
function makeHistory(entries: number): Promise<MadeProject> {
  return makeJournal((project) => {
    for (let made = 0; made < entries; made += entriesOfThread)
      addThread(project, `Thread ${made}`, entriesOfThread / 2)
  })
}

async function measure({ dataFolder }: MadeProject) {
  const file = databaseFileOf(dataFolder)
  const [times, sizes]: [number[], number[]] = [[], []]
  for (let run = 0; run <= runs; run += 1) {
    const before = await heldBytes()
    using database = openProjectDatabase({ file: join(file), clock: systemClock, hashing: nodeHashing })
    let held: unknown
    times.push(
      await timed(() => {
        const log = openProjectLog(database.journal, () => {}, { folds: database.folds })
        const last = [...log.families().keys()].at(-1)
        if (last === undefined) throw new Error('The project has no threads')
        log.load([last])
        held = [log, outlineOf(log.state, log.families(), last)]
      }),
    )
    sizes.push((await heldBytes()) - before)
    if (held === undefined) throw new Error('Nothing was opened')
  }
  const megabyte = 1024 * 1024
  return { time: summarise(times.slice(1)), memory: summarise(sizes.slice(1).map((bytes) => bytes / megabyte)) }
}
