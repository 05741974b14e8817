import { join } from 'node:path'
import { measureSteps, type Steps } from './agent/steps.ts'
import { temporaryFolder } from './support/folders.ts'
import { medianOf, summarise } from './support/measure.ts'
import { type Row, report } from './support/report.ts'
import { openSyncedAppend } from './support/synced-writes.ts'

// Goal 11: what the loop itself costs a step. The model answers at once from memory, every commit is on disk.
const runs = 5
const windows = [
  { name: 'step 10', of: ({ steps }: Steps) => steps.slice(1, 21) },
  { name: 'step 1,000', of: ({ steps }: Steps) => steps.slice(990, 1_010) },
  { name: 'step 10 in a new project', of: ({ inNewProject }: Steps) => inNewProject.slice(1, 21) },
]
const commitsInStep = 3

using folder = temporaryFolder()
using synced = openSyncedAppend(folder.path, 16_384)
const kinds = [
  { name: 'a call that reads', call: 'read' },
  { name: 'a call that writes a file, the tool’s own time included', call: 'write' },
] as const
const measured: Row[] = []
for (const { name, call } of kinds) {
  const measuredSteps = await measuredRuns((run) => measureSteps(join(folder.path, `${call}-${run}`), call, 1_012))
  for (const window of windows) {
    measured.push({
      operation: `loop overhead at ${window.name}: ${name}`,
      unit: 'ms',
      coppice: summarise(measuredSteps.map((figures) => medianOf(window.of(figures)))),
      peer: { name: `${commitsInStep} × append + fdatasync of a page`, sample: syncedCommits() },
      ...(call === 'read' && { goal: { text: '≤ 1 ms', limit: 1 } }),
    })
  }
}
report('agent', measured)

async function measuredRuns(act: (run: number) => Promise<Steps>): Promise<readonly Steps[]> {
  const results: Steps[] = []
  for (let run = 0; run <= runs; run += 1) results.push(await act(run))
  return results.slice(1)
}

function syncedCommits() {
  const rounds = Array.from({ length: runs }, () => medianOf(Array.from({ length: 20 }, () => synced.append())))
  return summarise(rounds.map((figure) => figure * commitsInStep))
}
