import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { nodeHashing } from '../../../packages/overlay/src/node.ts'
import { systemClock } from '../../../src/main/adapters/clock/system-clock.ts'
import { openProjectDatabase } from '../../../src/main/adapters/sqlite/project-database.ts'
import { blobsInUse } from '../../../src/main/core/journal/blobs-in-use.ts'
import { temporaryFolder } from '../support/folders.ts'
import { summarise } from '../support/measure.ts'
import type { Row } from '../support/report.ts'
import { openStepThread } from './durable-steps.ts'

const leastMs = 3_000

interface Delay {
  readonly p99: number
  readonly longest: number
}

/**
 * Goal 18: how long other work in the host waits while steps are stored, their log is written back, and blobs are
 * searched.
 */
export async function waitingRows(): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  const idle = await delayDuring(() => setTimeout(50))
  using thread = openStepThread(folder.path)
  const committing = await delayDuring(async () => {
    thread.step()
    await setImmediate()
  })
  const marking = await delayDuring(() => blobsInUse(thread.log, Date.now(), () => setImmediate()))
  using second = openProjectDatabase({
    file: join(folder.path, 'project.db'),
    clock: systemClock,
    hashing: nodeHashing,
  })
  const listing = await delayDuring(async () => {
    for (const _ of second.collector.stored(100)) await setImmediate()
  })
  return [
    ...rowsOf('commits, with their write-backs of the log', committing, idle),
    ...rowsOf('the search for unused content', marking, idle),
    ...rowsOf('the list of contents', listing, idle),
  ]
}

function rowsOf(name: string, { p99, longest }: Delay, idle: Delay): readonly Row[] {
  const peer = (ms: number) => ({ name: 'idle', sample: summarise([ms]) })
  return [
    {
      operation: `event loop during ${name}, p99`,
      unit: 'ms',
      coppice: summarise([p99]),
      peer: peer(idle.p99),
      goal: { text: '≤ 2 × idle', limit: 2 * idle.p99 },
    },
    {
      operation: `event loop during ${name}, longest`,
      unit: 'ms',
      coppice: summarise([longest]),
      peer: peer(idle.longest),
      goal: { text: '≤ 50 ms', limit: 50 },
    },
  ]
}

async function delayDuring(act: () => Promise<unknown>): Promise<Delay> {
  await act()
  globalThis.gc?.()
  await setTimeout(50)
  const monitor = monitorEventLoopDelay({ resolution: 1 })
  monitor.enable()
  const end = performance.now() + leastMs
  while (performance.now() < end) await act()
  monitor.disable()
  return { p99: monitor.percentile(99) / 1e6, longest: monitor.max / 1e6 }
}
