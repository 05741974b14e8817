import { join } from 'node:path'
import { isQuick } from '../support/flags.ts'
import { temporaryFolder } from '../support/folders.ts'
import { summarise } from '../support/measure.ts'
import type { Row } from '../support/report.ts'
import { type BatchFigures, measureBatch } from './batches.ts'

const [many, few] = [isQuick ? 200 : 1_000, 10]
const runs = isQuick ? 2 : 5

/** Goal 10: what a task of a batch costs, in a large batch and in a small one. */
export async function batchRows(): Promise<readonly Row[]> {
  const figures = await measureBatches(many)
  const small = await measureBatches(few)
  const batch = `batch of ${many.toLocaleString('en')}`
  return [
    {
      operation: `${batch}: processor time of a task`,
      unit: 'ms',
      coppice: summarise(figures.map(({ cpuEach }) => cpuEach)),
      goal: { text: '≤ 3 ms', limit: 3 },
    },
    {
      operation: `batch of ${few}: processor time of a task`,
      unit: 'ms',
      coppice: summarise(small.map(({ cpuEach }) => cpuEach)),
      goal: { text: '≤ 5 ms', limit: 5 },
    },
    {
      operation: `${batch}: memory of a task`,
      unit: 'MB',
      coppice: summarise(figures.map(({ megabytesEach }) => megabytesEach)),
      goal: { text: '≤ 0.1 MB', limit: 0.1 },
    },
    {
      operation: `${batch}: all merged`,
      unit: 'ms',
      coppice: summarise(figures.map(({ mergeAll }) => mergeAll)),
      goal: { text: '≤ 200 ms', limit: 200 },
    },
  ]
}

/** Uses a new data folder for each run, so that no run pays for an earlier one. The first run warms up. */
async function measureBatches(tasks: number): Promise<readonly BatchFigures[]> {
  using folder = temporaryFolder()
  const figures: BatchFigures[] = []
  for (let run = 0; run <= runs; run += 1) figures.push(await measureBatch(join(folder.path, String(run)), tasks))
  return figures.slice(1)
}
