import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { deliver } from '../../src/main/host/delivery/deliver.ts'
import { type Change, changesOf, writeChanges } from './support/changes.ts'
import { isQuick } from './support/flags.ts'
import { commitAll, git, makeRepository } from './support/git.ts'
import { sideBySide, timed } from './support/measure.ts'
import { generateProject } from './support/project.ts'
import { report, shortCount, versus } from './support/report.ts'
import { changeWorkspace } from './support/workspace.ts'

// One commit of many changed files on a new branch, beside git that gets the same commit as a stream, and a person's worktree.
const [files, bytesEach, changed] = isQuick ? [10_000, 2_000, 200] : [100_000, 2_000, 1_000]
await using project = await generateProject({ files, bytesEach })
const { workspace, tree, folder } = project
makeRepository(tree)
git(tree, 'config', 'user.name', 'Bench')
git(tree, 'config', 'user.email', 'bench@localhost')
const changes = changesOf(files, bytesEach, changed)
await changeWorkspace(workspace, changes)
let runs = 0
const usual = { base: 'main', per: 'all', uncommitted: 'leave', keep: [], messages: [], sign: null } as const

function own(): Promise<number> {
  runs += 1
  const to = `own-${runs}`
  return timed(() => deliver(workspace.project, { ...usual, branchId: workspace.branchId, to }))
}

/** The commit as git reads it. */
function streamOf(branch: string, list: readonly Change[]): Buffer {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const lines = list.map(({ path, text }) => (text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(text)}`))
  const head = `commit refs/heads/${branch}\ncommitter Bench <bench@localhost> 1700000000 +0000\n${data('Bench\n')}`
  return Buffer.from(`${head}from refs/heads/main^0\n${lines.join('')}done\n`)
}

function byStream(): Promise<number> {
  const input = streamOf(`stream-${runs}`, changes)
  return timed(() => execFileSync('git', ['fast-import', '--quiet', '--done'], { cwd: tree, input }))
}

async function byWorktree(): Promise<number> {
  const place = join(folder, `worktree-${runs}`)
  const taken = await timed(() => {
    git(tree, 'worktree', 'add', '-q', '-b', `worktree-${runs}`, place, 'main')
    writeChanges(place, changes)
    commitAll(place)
  })
  rmSync(place, { recursive: true })
  git(tree, 'worktree', 'prune')
  return taken
}

const operation = `one commit of ${shortCount(changed)} changed files of ${shortCount(files)}`
const stream = await sideBySide(own, byStream)
const worktree = await sideBySide(own, byWorktree, { runs: 3, warmUps: 0 })
report('deliver', [
  { operation, unit: 'ms', coppice: stream.coppice, ...versus('git fast-import', stream.peer, 1.2) },
  { operation, unit: 'ms', coppice: worktree.coppice, ...versus('git worktree add, add, commit', worktree.peer, 0.1) },
])
