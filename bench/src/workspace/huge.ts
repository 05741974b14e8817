import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rgPath } from '@vscode/ripgrep'
import { grepTool } from '../../../src/main/core/tools/files/find-files.ts'
import type { Project } from '../../../src/main/host/project/project.ts'
import { rootPath } from '../../../src/shared/model/virtual-path.ts'
import { makeTree, temporaryFolder } from '../support/folders.ts'
import { openLocalHost } from '../support/local-host.ts'
import { figuresOf, sideBySide, summarise, timed } from '../support/measure.ts'
import type { ProjectSize } from '../support/project.ts'
import { type Row, shortCount, versus } from '../support/report.ts'
import { untilIndexed } from '../support/search-index.ts'
import { callTool } from '../support/tool-call.ts'
import { startWorkspace } from '../support/workspace.ts'

const execute = promisify(execFile)
const signal = new AbortController().signal
const everything = { path: rootPath, hidden: [], overlay: [], includeIgnored: false }

/** Literals with few hits and with thousands, and what each may take of ripgrep's time. */
const literals = [
  { name: 'a rare literal', pattern: 'file: 4242,', goal: 0.02 },
  { name: 'a literal of many files', pattern: 'weight: 4242 }', goal: 0.02 },
]

/** Searches with an index in a project that is too large to be copied, against ripgrep in the same folder. */
export async function hugeRows({ files, bytesEach }: ProjectSize): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  const tree = join(folder.path, 'tree')
  makeTree(tree, files, bytesEach)
  const data = join(folder.path, 'data')
  const rows: Row[] = []
  const label = shortCount(files)
  const grep = (project: Project, pattern: string) => {
    const workspace = startWorkspace(project)
    return timed(() => callTool(workspace, grepTool, { pattern, literal: true, output_mode: 'content', limit: 2_000 }))
  }
  const find = (project: Project) => timed(() => findOne(project, `module-${files - 1}.ts`))
  {
    await using host = await openLocalHost(data)
    const project = await host.projects.open(tree)
    const first = await find(project)
    await grep(project, 'file: 4242,')
    const indexed = await timed(() => untilIndexed(project))
    rows.push({ operation: `index made and kept: ${label} files`, unit: 'ms', coppice: summarise([indexed]) })
    rows.push({ operation: `file by name, first opening: ${label} files`, unit: 'ms', coppice: summarise([first]) })
    for (const { name, pattern, goal } of literals) {
      await compareHits(project, tree, pattern)
      const { coppice, peer } = await sideBySide(
        () => grep(project, pattern),
        () => timed(() => ripgrep(tree, pattern)),
        { runs: 3 },
      )
      rows.push({
        operation: `grep, ${name}, again: ${label} files`,
        unit: 'ms',
        coppice,
        ...versus('ripgrep', peer, goal),
      })
    }
  }
  const second = await figuresOf(
    async () => {
      await using host = await openLocalHost(data)
      return find(await host.projects.open(tree))
    },
    { runs: 5 },
  )
  const goal = { text: '≤ 50 ms', limit: 50 }
  const coppice = summarise(second)
  rows.push({ operation: `file by name, second opening: ${label} files`, unit: 'ms', coppice, goal })
  return rows
}

async function findOne({ services }: Project, name: string): Promise<void> {
  const found = await services.search.find(name, 50, everything, signal)
  if (found.length !== 1) throw new Error(`Found ${found.length} files instead of one`)
}

async function ripgrep(folder: string, pattern: string): Promise<readonly string[]> {
  const args = ['--no-config', '--files-with-matches', '--fixed-strings', '-e', pattern, './']
  const { stdout } = await execute(rgPath, args, { cwd: folder, maxBuffer: 2 ** 28 })
  return stdout.split('\n').filter((line) => line !== '')
}

async function compareHits({ services }: Project, tree: string, pattern: string): Promise<void> {
  const query = { pattern, literal: true, context: 0, caseInsensitive: false, multiline: false }
  const { files } = await services.search.grep(query, everything, signal)
  const own = files.map(({ path }) => `.${path}`).join('\n')
  if (own !== (await ripgrep(tree, pattern)).toSorted().join('\n'))
    throw new Error(`${pattern} finds other files than ripgrep`)
}
