import { emptyTree, listChanges } from '../../../packages/overlay/src/index.ts'
import { changesOf } from '../support/changes.ts'
import { medianOf, summarise, timed } from '../support/measure.ts'
import { type GeneratedProject, generateProject } from '../support/project.ts'
import { type Row, shortCount } from '../support/report.ts'
import { changeWorkspace, forkWorkspace, headOf, type Workspace } from '../support/workspace.ts'
import { forkBranch } from './forks.ts'

const projectSizes = [1_000, 10_000, 100_000]
const branchCounts = [1, 100, 1_000]
const changeCount = 100
const rounds = 12
const goal = { text: '≤ 1.2 ×', limit: 1.2 }

/**
 * The cost of a fork and a diff as something else grows. The figure is the most expensive place divided by the
 * cheapest.
 */
export async function growthRows(): Promise<readonly Row[]> {
  return [await diffOverSizes(), ...(await overBranches())]
}

async function diffOverSizes(): Promise<Row> {
  await using cleanup = new AsyncDisposableStack()
  const places: GeneratedProject[] = []
  for (const files of projectSizes) {
    const project = cleanup.use(await generateProject({ files, bytesEach: 200 }))
    await changeWorkspace(project.workspace, changesOf(files, 200, changeCount))
    places.push(project)
  }
  const figures: number[][] = places.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { workspace }] of places.entries()) figures[index]?.push(await diffOf(workspace))
  }
  return flatRow(
    `diff of ${changeCount} changes`,
    projectSizes.map((size) => `${shortCount(size)} files`),
    figures,
  )
}

/** Each place has its own project. They are measured in turns, so that slow moments affect all of them. */
async function overBranches(): Promise<readonly Row[]> {
  await using cleanup = new AsyncDisposableStack()
  const places: { readonly workspace: Workspace; readonly changed: Workspace }[] = []
  for (const count of branchCounts) {
    const { workspace } = cleanup.use(await generateProject({ files: 1_000, bytesEach: 200 }))
    const changed = forkWorkspace(workspace)
    await changeWorkspace(changed, changesOf(1_000, 200, changeCount))
    for (let branch = 1; branch < count; branch += 1) forkWorkspace(changed)
    places.push({ workspace, changed })
  }
  const [forks, diffs]: [number[][], number[][]] = [places.map(() => []), places.map(() => [])]
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { workspace, changed }] of places.entries()) {
      forks[index]?.push(medianOf(Array.from({ length: 15 }, () => forkBranch(workspace))))
      diffs[index]?.push(await diffOf(changed))
    }
  }
  const names = branchCounts.map((count) => `${count.toLocaleString('en')} branches`)
  return [flatRow('fork', names, forks), flatRow(`diff of ${changeCount} changes`, names, diffs)]
}

function diffOf(workspace: Workspace): Promise<number> {
  return timed(() => listChanges({ ...workspace.project.services, from: emptyTree, to: headOf(workspace) }))
}

function flatRow(what: string, names: readonly string[], figures: readonly (readonly number[])[]): Row {
  const medians = figures.map((values) => medianOf(values.slice(2)))
  const shown = medians.map((median, index) => `${median.toFixed(2)} ms at ${names[index]}`)
  return {
    operation: `${what}: ${shown.join(', ')}`,
    unit: '×',
    coppice: summarise([Math.max(...medians) / Math.min(...medians)]),
    goal,
  }
}
