import { isQuick } from '../support/flags.ts'
import { summarise, timed } from '../support/measure.ts'
import { connect } from '../support/remote-client.ts'
import { type Row, versus } from '../support/report.ts'
import { memoryOf, serve } from '../support/served.ts'
import { addThread, type MadeProject, makeJournal } from '../window/journals.ts'

const many = isQuick ? 100_000 : 1_000_000
/** Two for each message. */
const entriesOfThread = 1_000
const runs = 7

/**
 * How long a host needs to open a project and to answer with its last thread, and what it holds then: one with a long
 * history beside a new one, in turns. Each host is a process of its own.
 */
export async function historyRows(): Promise<readonly Row[]> {
  using little = await makeHistory(entriesOfThread)
  using long = await makeHistory(many)
  const [own, few]: [Opened[], Opened[]] = [[], []]
  for (let run = 0; run <= runs; run += 1) {
    few.push(await open(little))
    own.push(await open(long))
  }
  const of = (opened: readonly Opened[], what: keyof Opened) => summarise(opened.slice(1).map((one) => one[what]))
  const name = `${many.toLocaleString('en')} entries`
  return [
    {
      operation: `project of ${name}: opened, its last thread there`,
      unit: 'ms',
      coppice: of(own, 'ms'),
      goal: { text: '≤ 300 ms', limit: 300 },
    },
    {
      operation: `project of ${name}: opened, its last thread there`,
      unit: 'ms',
      coppice: of(own, 'ms'),
      ...versus('one of 1,000', of(few, 'ms'), 1.5),
    },
    {
      operation: `project of ${name}: memory of the host`,
      unit: 'MB',
      coppice: of(own, 'mb'),
      ...versus('one of 1,000', of(few, 'mb'), 1.3),
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

interface Opened {
  readonly ms: number
  readonly mb: number
}

async function open({ folder, dataFolder }: MadeProject): Promise<Opened> {
  await using served = await serve(dataFolder, null)
  using client = await connect(served.url)
  const ms = await timed(async () => {
    const { id } = await client.call.projects.open({ path: folder })
    const { last, outline } = await client.call.events.outline({ projectId: id, threadId: null })
    const [shown] = outline?.read ?? []
    if (shown) await client.call.events.family({ projectId: id, threadId: shown, after: 0, limit: 10_000 })
    else
      for await (const events of await client.call.events.subscribe({ projectId: id, after: 0 }))
        if (events.some(({ sequence }) => sequence >= last)) break
  })
  return { ms, mb: memoryOf(served.pid).nowMb }
}
