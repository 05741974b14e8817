import { join } from 'node:path'
import { runAgentsLap } from './race/agents-lap.ts'
import type { Lap } from './race/lap.ts'
import { runWorktreesLap } from './race/worktrees-lap.ts'
import { type Change, changesOf } from './support/changes.ts'
import { isQuick } from './support/flags.ts'
import { linkTree, makeTree, temporaryFolder } from './support/folders.ts'
import { git, makeRepository } from './support/git.ts'
import { summarise } from './support/measure.ts'
import { type Row, report, shortCount, type Unit } from './support/report.ts'

// Twelve agents edit five files each, everything is merged, and a patch comes out: on branches of Coppice, and on
// worktrees of git. Both patches must make the same files.
const sizes = isQuick ? [2_000] : [2_000, 20_000, 100_000]
const bytesEach = 2_000
const [agents, filesEach] = [12, 5]

const rows: Row[] = []
for (const files of sizes) rows.push(...(await race(files)))
report('race', rows)

async function race(files: number): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  const [tree, repository] = [join(folder.path, 'tree'), join(folder.path, 'repository')]
  makeTree(tree, files, bytesEach)
  linkTree(tree, files, repository)
  makeRepository(repository)
  const work = shareWork(files)
  const own = await runAgentsLap(tree, folder.path, work)
  git(repository, 'checkout', '-q', '-b', 'agents')
  git(repository, 'apply', '--index', own.patch)
  const result = git(repository, 'write-tree').toString()
  git(repository, 'checkout', '-qf', 'main')
  const peer = runWorktreesLap(repository, folder.path, work)
  const expected = git(repository, 'rev-parse', 'HEAD^{tree}').toString()
  if (result !== expected) throw new Error(`The two ways made other files: ${result} and ${expected}`)
  return rowsOf(files, own, peer)
}

/** Edits alone, so that nothing conflicts. */
function shareWork(files: number): readonly (readonly Change[])[] {
  const edits = changesOf(files, bytesEach, agents * filesEach * 2).filter(
    (_, index) => index % 10 !== 4 && index % 10 !== 8,
  )
  return Array.from({ length: agents }, (_, agent) => edits.slice(agent * filesEach, (agent + 1) * filesEach))
}

function rowsOf(files: number, own: Lap, peer: Lap): readonly Row[] {
  const row = (what: string, unit: Unit, figureOf: (lap: Lap) => number): Row => ({
    operation: `${agents} agents in ${shortCount(files)} files: ${what}`,
    unit,
    coppice: summarise([figureOf(own)]),
    peer: { name: 'git worktree', sample: summarise([figureOf(peer)]) },
  })
  return [
    row('time', 'ms', ({ milliseconds }) => milliseconds),
    row('disk', 'MB', ({ bytes }) => bytes / 1e6),
    row('programs started', 'programs', ({ processes }) => processes),
  ]
}
