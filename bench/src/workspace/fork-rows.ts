import { medianOf, type Sample, summarise } from '../support/measure.ts'
import type { Row } from '../support/report.ts'
import { measureCopies } from './copies.ts'
import { measureForks, measureGrowth } from './flatness.ts'

/** Goal 1: a fork of the workspace costs one committed row, whatever the size of the project and the branch. */
export async function forkRows(): Promise<readonly Row[]> {
  const forks = await measureForks()
  const growth = await measureGrowth()
  const copies = await measureCopies()

  const limit = { text: '≤ 0.2 ms', limit: 0.2 }
  const synced = { name: 'append + fdatasync of a page', sample: summarise(forks.synced) }
  const largest = summarise(forks.places.at(-1)?.branch ?? [])
  const medians = forks.places.map(({ branch }) => medianOf(branch))
  const flatness = Math.max(...medians) / Math.min(...medians)

  return [
    ...forks.places.map(
      ({ name, branch }): Row => ({
        operation: `fork: ${name}`,
        unit: 'ms',
        coppice: summarise(branch),
        peer: synced,
        goal: limit,
      }),
    ),
    {
      operation: 'slowest of these to fastest',
      unit: '×',
      coppice: summarise([flatness]),
      goal: { text: '≤ 1.2 ×', limit: 1.2 },
    },
    against(largest, 'overlayfs mount (mount command), 20k files', copies.overlayMount, 10),
    against(largest, 'git worktree add, 20k files', copies.worktree, 3_000),
    against(largest, 'cp -r, 20k files', copies.copy, null),
    {
      operation: 'the first 100 forks after opening, all places',
      unit: 'ms',
      coppice: summarise(forks.early),
      peer: synced,
      goal: limit,
    },
    {
      operation: 'fork of a subagent: thread, branch and task',
      unit: 'ms',
      coppice: summarise(forks.subagent),
      peer: synced,
    },
    {
      operation: 'the last 20 of 1,000 forks',
      unit: 'ms',
      coppice: summarise(growth.last),
      peer: { name: 'the first 20', sample: summarise(growth.first) },
    },
  ]
}

function against(largest: Sample, name: string, sample: Sample | null, times: number | null): Row {
  const row: Row = { operation: 'fork: 100k files, 10k changes', unit: 'ms', coppice: largest, peer: { name, sample } }
  if (times === null || sample === null) return row
  return { ...row, goal: { text: `≥ ${times.toLocaleString('en')} × faster`, limit: sample.median / times } }
}
