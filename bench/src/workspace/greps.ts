import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rgPath } from '@vscode/ripgrep'
import { createRipgrepSearch } from '../../../src/main/adapters/search/ripgrep-search.ts'
import type { Search } from '../../../src/main/core/ports/search.ts'
import { grepTool } from '../../../src/main/core/tools/files/find-files.ts'
import { rootPath } from '../../../src/shared/model/virtual-path.ts'
import { changesOf, writeChanges } from '../support/changes.ts'
import { makeTree } from '../support/folders.ts'
import { sideBySide, timed } from '../support/measure.ts'
import { openPeer } from '../support/peer.ts'
import type { GeneratedProject } from '../support/project.ts'
import { type Row, shortCount, versus } from '../support/report.ts'
import { untilIndexed } from '../support/search-index.ts'
import { callTool, toolContext } from '../support/tool-call.ts'
import { changeWorkspace, type Workspace } from '../support/workspace.ts'

interface Pattern {
  readonly name: string
  readonly pattern: string
  readonly literal: boolean
}

const literal: Pattern = { name: 'a literal', pattern: 'weight: 4242 }', literal: true }
const regexes: readonly Pattern[] = [
  { name: 'regex, words', pattern: String.raw`\bcursor_\w+ = .*weight: 4[0-4]\d `, literal: false },
  { name: 'regex, either', pattern: String.raw`(ledger_signal|retry_order)_\d+ = .*'timeout'`, literal: false },
  {
    name: 'regex, start of line',
    pattern: String.raw`^export const parser_reader_[^=]+= .*weight: 9\d\d\d`,
    literal: false,
  },
]
/** What a search with the index may take of ripgrep's time. */
const againGoals = [
  { files: 100_000, goal: 0.1 },
  { files: 20_000, goal: 0.3 },
  { files: 0, goal: 1.3 },
]
const overlaySizes = [0, 100, 1_000]
const execute = promisify(execFile)

interface Place {
  readonly label: string
  readonly files: number
  readonly workspace: Workspace
  /** A copy of the branch's files in a folder. */
  readonly copy: string
  readonly temporaryFolder: string
}

/**
 * Goal 3 for one project, which this changes. Runs every search with the tool, and with ripgrep on a copy of the
 * branch's files.
 */
export async function grepRows({ files, bytesEach, folder, workspace }: GeneratedProject): Promise<readonly Row[]> {
  const copy = join(folder, 'copy')
  // No hard links: a file with a second name may change through it, so the index leaves such files to ripgrep.
  makeTree(copy, files, bytesEach)
  const rows: Row[] = []
  let made = 0
  for (const count of overlaySizes) {
    const changes = changesOf(files, bytesEach, count).slice(made)
    made = count
    await changeWorkspace(workspace, changes)
    writeChanges(copy, changes)
    const label = `${shortCount(files)} files, ${shortCount(count)} changes`
    if (count === 0) await startIndex(workspace)
    const place = { label, files, workspace, copy, temporaryFolder: join(folder, 'temporary') }
    rows.push(...(await rowsAt(place, count === 100 ? [] : regexes)))
  }
  return rows
}

async function rowsAt(place: Place, others: readonly Pattern[]): Promise<readonly Row[]> {
  const rows: Row[] = []
  const againGoal = againGoals.find(({ files }) => place.files >= files)?.goal ?? 1
  for (const pattern of [literal, ...others]) await compareHits(place, pattern)
  rows.push(await row(place, literal, 'first', 1.3, () => searchFirst(place, literal)))
  rows.push(await row(place, literal, 'again', againGoal, () => search(place, literal)))
  for (const regex of others) rows.push(await row(place, regex, 'again', 1.3, () => search(place, regex)))
  return rows
}

/** The first search of a large project starts its index. */
async function startIndex(workspace: Workspace): Promise<void> {
  await search({ workspace }, literal)
  await untilIndexed(workspace.project)
}

async function row(
  place: Place,
  pattern: Pattern,
  which: string,
  goal: number,
  coppice: () => Promise<number>,
): Promise<Row> {
  const measured = await sideBySide(coppice, () => timed(() => ripgrep(place.copy, pattern)))
  const operation = `grep, ${pattern.name}, ${which}: ${place.label}`
  return { operation, unit: 'ms', coppice: measured.coppice, ...versus('ripgrep', measured.peer, goal) }
}

function search(
  { workspace }: Pick<Place, 'workspace'>,
  { pattern, literal }: Pattern,
  engine?: Search,
): Promise<number> {
  const args = { pattern, literal, output_mode: 'content', limit: 2_000 }
  return timed(() => callTool(workspace, grepTool, args, engine))
}

/** A first search, without anything kept from an earlier one. */
async function searchFirst(place: Place, pattern: Pattern): Promise<number> {
  const rootFolder = place.workspace.project.info().path
  using engine = createRipgrepSearch({ rootFolder, temporaryFolder: place.temporaryFolder })
  return await search(place, pattern, engine)
}

async function ripgrep(folder: string, { pattern, literal }: Pattern): Promise<string> {
  const how = ['--no-config', '--no-heading', '--line-number', ...(literal ? ['--fixed-strings'] : [])]
  const { stdout } = await execute(rgPath, [...how, '-e', pattern, './'], { cwd: folder, maxBuffer: 2 ** 26 })
  return stdout
}

async function compareHits({ workspace, copy, label }: Place, pattern: Pattern): Promise<void> {
  const { files, signal } = toolContext(workspace)
  const query = { ...pattern, context: 0, caseInsensitive: false, multiline: false }
  const outcome = await files.grep(query, rootPath, signal)
  const own = outcome.files.flatMap(({ path, lines }) => lines.map(({ number, text }) => `.${path}:${number}:${text}`))
  const wanted = (await ripgrep(copy, pattern)).split('\n').filter((line) => line !== '')
  if (wanted.length === 0) throw new Error(`${pattern.name} finds nothing`)
  if (own.sort().join('\n') !== wanted.sort().join('\n'))
    throw new Error(`${pattern.name} finds ${own.length} lines instead of the ${wanted.length} of ripgrep in ${label}`)
}

/** The same search with the file backend of deepagents, without ripgrep. */
export async function deepagentsGrepRow({ files, tree, workspace }: GeneratedProject): Promise<Row> {
  using deepagents = openPeer('deepagents', {})
  const answered = async () => (await deepagents.run({ folder: tree, literal: literal.pattern })).ms
  const { coppice, peer } = await sideBySide(() => search({ workspace }, literal), answered)
  return {
    operation: `grep, a literal: ${shortCount(files)} files, 0 changes`,
    unit: 'ms',
    coppice,
    peer: { name: 'deepagents without ripgrep', sample: peer },
    goal: { text: '≥ 25 × faster', limit: peer.median / 25 },
  }
}
