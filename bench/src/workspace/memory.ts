import { heldBytes } from '../support/held-bytes.ts'
import { figuresOf, summarise } from '../support/measure.ts'
import { generateProject } from '../support/project.ts'
import { textOf } from '../support/project-text.ts'
import type { Row } from '../support/report.ts'
import { changeWorkspace, forkWorkspace, type Workspace } from '../support/workspace.ts'

const branches = 50
const bytesEach = 2_048
let written = 0

/** Goal 2: the memory that the process holds for each of many branches, after garbage collection. */
export async function memoryRows(): Promise<readonly Row[]> {
  await using project = await generateProject({ files: 1_000, bytesEach: 60 })
  const rows: Row[] = []
  for (const files of [0, 5, 50]) {
    const figures = await figuresOf(() => memoryOfBranch(project.workspace, files), { runs: 5 })
    const changedKb = (files * bytesEach) / 1024
    rows.push({
      operation: `memory of a branch with ${files} files of 2 KB changed`,
      unit: 'KB',
      coppice: summarise(figures),
      goal: { text: '≤ 1.6 × changed + 4 KB', limit: 1.6 * changedKb + 4 },
      ...(files > 0 && { peer: { name: 'bytes changed', sample: summarise([changedKb]) } }),
    })
  }
  return rows
}

/** Kilobytes. */
async function memoryOfBranch(workspace: Workspace, files: number): Promise<number> {
  const before = await heldBytes()
  for (let branch = 0; branch < branches; branch += 1) {
    const fork = forkWorkspace(workspace)
    if (files > 0) await changeWorkspace(fork, newFiles(files))
  }
  return ((await heldBytes()) - before) / branches / 1024
}

/** Files with different texts, also between branches. */
function newFiles(count: number) {
  return Array.from({ length: count }, (_, index) => {
    written += 1
    return { path: `new/file-${index}.ts`, text: textOf(written, bytesEach) }
  })
}
