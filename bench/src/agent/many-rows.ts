import { proseOf } from '../store/prose.ts'
import { isQuick } from '../support/flags.ts'
import { temporaryFolder } from '../support/folders.ts'
import { summarise } from '../support/measure.ts'
import type { Row } from '../support/report.ts'
import { measureBatch } from './batches.ts'

const tasks = isQuick ? 1_000 : 10_000
const textBytes = 1_024

/** A batch of ten thousand tasks in one thread. Every agent says a kilobyte in each of its three replies. */
export async function manyRows(): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  const figures = await measureBatch(folder.path, tasks, (task, turn) =>
    proseOf(3 * Number(task.replace(/\D/g, '')) + turn, textBytes),
  )
  const batch = `batch of ${tasks.toLocaleString('en')}, each task saying 3 KB`
  return [
    {
      operation: `${batch}: memory of a finished task`,
      unit: 'KB',
      coppice: summarise([figures.megabytesEach * 1024]),
      goal: { text: '≤ 20 KB', limit: 20 },
    },
    { operation: `${batch}: processor time of a task`, unit: 'ms', coppice: summarise([figures.cpuEach]) },
    {
      operation: `${batch}: journal on disk, of what was said`,
      unit: '×',
      coppice: summarise([figures.journalRatio]),
      goal: { text: '≤ 1.3 ×', limit: 1.3 },
    },
    {
      operation: `${batch}: merging all, the longest step`,
      unit: 'ms',
      coppice: summarise([figures.longestMergeStep]),
      goal: { text: '≤ 50 ms', limit: 50 },
    },
    { operation: `${batch}: merging all`, unit: 'ms', coppice: summarise([figures.mergeAll]) },
  ]
}
