import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFileTool } from '../../../src/main/core/tools/files/read-file.ts'
import { sideBySide, timed } from '../support/measure.ts'
import { openPeer } from '../support/peer.ts'
import { generateProject } from '../support/project.ts'
import { pathOf } from '../support/project-text.ts'
import { type Row, versus } from '../support/report.ts'
import { callTool } from '../support/tool-call.ts'
import { changeWorkspace, forkWorkspace, type Workspace } from '../support/workspace.ts'

const size = { files: 2_000, bytesEach: 5_550 }
const read = Array.from({ length: 1_000 }, (_, index) => `/${pathOf(2 * index)}`)
const depth = 1_000
const changed = '/changed.ts'

/** Goal 4, reading through the tool: untouched files, and files on a chain of a thousand branches. */
export async function readRows(): Promise<readonly Row[]> {
  await using project = await generateProject(size)
  const { workspace, tree } = project
  using deepagents = openPeer('deepagents')
  await changeWorkspace(workspace, [{ path: changed.slice(1), text: 'changed\n'.repeat(600) }])
  const plain = await sideBySide(
    () => readAll(workspace, read),
    () => timed(() => read.map((path) => readFileSync(join(tree, path)))),
    { runs: 9, warmUps: 3 },
  )
  const agents = await sideBySide(
    () => readAll(workspace, read),
    async () => (await deepagents.run({ folder: tree, files: read })).ms,
  )
  const deep = await forkDeep(workspace)
  return [
    {
      operation: '1,000 reads of untouched files',
      unit: 'ms',
      coppice: plain.coppice,
      ...versus('readFileSync', plain.peer, 4),
    },
    {
      operation: '1,000 reads of untouched files',
      unit: 'ms',
      coppice: agents.coppice,
      ...versus('deepagents', agents.peer),
    },
    await depthRow('an untouched file', workspace, deep, read[0] ?? ''),
    await depthRow('a changed file', workspace, deep, changed),
  ]
}

async function depthRow(what: string, shallow: Workspace, deep: Workspace, path: string): Promise<Row> {
  const paths = Array.from({ length: 500 }, () => path)
  const measured = await sideBySide(
    () => readAll(deep, paths),
    () => readAll(shallow, paths),
    { runs: 9, warmUps: 3 },
  )
  const operation = `500 reads of ${what} at branch depth ${depth.toLocaleString('en')}`
  return { operation, unit: 'ms', coppice: measured.coppice, ...versus('depth 1', measured.peer, 1.5) }
}

function readAll(workspace: Workspace, paths: readonly string[]): Promise<number> {
  return timed(async () => {
    for (const file_path of paths) await callTool(workspace, readFileTool, { file_path })
  })
}

/** Makes a chain of branches. Each branch writes its own file before it is forked. */
async function forkDeep(workspace: Workspace): Promise<Workspace> {
  let deepest = workspace
  for (let level = 1; level < depth; level += 1) {
    deepest = forkWorkspace(deepest)
    await changeWorkspace(deepest, [{ path: `level-${level}.ts`, text: 'export {}\n' }])
  }
  return deepest
}
