import { join } from 'node:path'
import { type BatchFigures, measureBatch } from './agent/batches.ts'
import { cacheableShare } from './agent/prefix.ts'
import { eventsOfReply, measureReplies } from './agent/replies.ts'
import { measureSteps, type Steps } from './agent/steps.ts'
import { isQuick, onlyPart } from './support/flags.ts'
import { temporaryFolder } from './support/folders.ts'
import { medianOf, summarise } from './support/measure.ts'
import { type Row, report, versus } from './support/report.ts'
import { openSyncedAppend } from './support/synced-writes.ts'

// Goals 10, 11 and 19: the cost of batches, of the loop and of repeated input. The model answers at once from memory,
// and every commit is on disk.
const runs = 5
const windows = [
  { name: 'step 10', of: ({ steps }: Steps) => steps.slice(1, 21) },
  { name: 'step 1,000', of: ({ steps }: Steps) => steps.slice(990, 1_010) },
  { name: 'step 10 in a new project', of: ({ inNewProject }: Steps) => inNewProject.slice(1, 21) },
]
const commitsInStep = 3

if (onlyPart === 'replies') {
  report('agent', await replyRows(), 'replies')
  process.exit()
}
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
measured.push(...(await batchRows()), ...(await prefixRows()))
report('agent', measured)
report('agent', await replyRows(), 'replies')

async function replyRows(): Promise<readonly Row[]> {
  const figures = await measureReplies(isQuick ? 5 : 15)
  return figures.map(({ format, coppice, peer }) => ({
    operation: `reply of ${eventsOfReply.toLocaleString('en')} events by ${format}: processor time`,
    unit: 'ms',
    coppice,
    ...versus('the SDK alone', peer, 1.05),
  }))
}

/** Uses a new data folder for each run, so that no run pays for an earlier one. */
async function batchRows(): Promise<readonly Row[]> {
  const [many, few] = [isQuick ? 200 : 1_000, 10]
  const figures = await batchFigures(many)
  const small = await batchFigures(few)
  const each = summarise(figures.map(({ cpuEach }) => cpuEach))
  const eachOfFew = summarise(small.map(({ cpuEach }) => cpuEach))
  const megabytes = summarise(figures.map(({ megabytesEach }) => megabytesEach))
  const merges = summarise(figures.map(({ mergeAll }) => mergeAll))
  const batch = `batch of ${many.toLocaleString('en')}`
  return [
    { operation: `${batch}: processor time of a task`, unit: 'ms', coppice: each, goal: { text: '≤ 3 ms', limit: 3 } },
    {
      operation: `${batch}: processor time of a task`,
      unit: 'ms',
      coppice: each,
      ...versus(`in a batch of ${few}`, eachOfFew, 1.2),
    },
    { operation: `${batch}: memory of a task`, unit: 'MB', coppice: megabytes, goal: { text: '≤ 0.1 MB', limit: 0.1 } },
    { operation: `${batch}: all merged`, unit: 'ms', coppice: merges, goal: { text: '≤ 200 ms', limit: 200 } },
  ]
}

async function batchFigures(tasks: number): Promise<readonly BatchFigures[]> {
  const figures: BatchFigures[] = []
  const rounds = isQuick ? 2 : runs
  for (let run = 0; run <= rounds; run += 1)
    figures.push(await measureBatch(join(folder.path, `batch-${tasks}-${run}`), tasks))
  return figures.slice(1)
}

async function prefixRows(): Promise<readonly Row[]> {
  const turns = 50
  const fresh = 100 - (await cacheableShare(join(folder.path, 'prefix'), turns))
  return [
    {
      operation: `input of ${turns} turns that no cache has seen`,
      unit: '%',
      coppice: summarise([fresh]),
      goal: { text: '≤ 5 %', limit: 5 },
    },
  ]
}

async function measuredRuns(act: (run: number) => Promise<Steps>): Promise<readonly Steps[]> {
  const results: Steps[] = []
  for (let run = 0; run <= runs; run += 1) results.push(await act(run))
  return results.slice(1)
}

function syncedCommits() {
  const rounds = Array.from({ length: runs }, () => medianOf(Array.from({ length: 20 }, () => synced.append())))
  return summarise(rounds.map((figure) => figure * commitsInStep))
}
