import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isQuick } from '../support/flags.ts'
import { temporaryFolder } from '../support/folders.ts'
import { medianOf, summarise } from '../support/measure.ts'
import { openPeer } from '../support/peer.ts'
import { type Row, versus } from '../support/report.ts'
import { openSyncedAppend } from '../support/synced-writes.ts'
import { openStepThread, stepBytes } from './durable-steps.ts'
import { proseOf } from './prose.ts'

const runs = 5
const last = isQuick ? 2_000 : 10_000
const peerSteps = isQuick ? 50 : 200

/** Goal 6: the time until a step is on disk, and whether a long thread makes steps slower. */
export async function stepRows(): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  const measured = Array.from({ length: runs }, (_, run) => measureThread(join(folder.path, String(run))))
  const p50 = summarise(measured.map(({ early }) => early))
  const operation = 'durable step: a reply, three files, the todos'
  return [
    {
      operation,
      unit: 'ms',
      coppice: p50,
      ...versus('append + fdatasync of the same bytes', summarise(measured.map(({ synced }) => synced)), 2),
    },
    { operation, unit: 'ms', coppice: p50, ...versus('LangGraph SqliteSaver', await langGraphStep(folder.path), 0.3) },
    {
      operation: `durable step ${last.toLocaleString('en')}`,
      unit: 'ms',
      coppice: summarise(measured.map(({ late }) => late)),
      ...versus('step 10', summarise(measured.map(({ first }) => first)), 1.2),
    },
  ]
}

interface ThreadFigures {
  readonly first: number
  readonly early: number
  readonly late: number
  readonly synced: number
}

/** Takes turns with the physical limit, so that other work of the disk affects both. */
function measureThread(folder: string): ThreadFigures {
  mkdirSync(folder)
  using thread = openStepThread(folder)
  using synced = openSyncedAppend(folder, stepBytes)
  const [own, limit]: [number[], number[]] = [[], []]
  for (let step = 1; step <= last; step += 1) {
    own.push(thread.step())
    if (step <= 1_000) limit.push(synced.append())
  }
  return {
    first: medianOf(own.slice(5, 25)),
    early: medianOf(own.slice(50, 1_000)),
    late: medianOf(own.slice(-20)),
    synced: medianOf(limit),
  }
}

async function langGraphStep(folder: string) {
  using peer = openPeer('langgraph')
  const { ms } = await peer.run({ file: join(folder, 'langgraph.db'), steps: peerSteps, text: proseOf(1, 5_120) })
  return summarise([ms / peerSteps])
}
