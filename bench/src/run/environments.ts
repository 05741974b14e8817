import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBranchMounts } from '../../../src/main/adapters/mounts/branch-mounts.ts'
import { runInside } from '../../../src/main/adapters/mounts/namespace.ts'
import { type BranchTrees, emptyBranchTrees, foldTrees } from '../../../src/main/core/branches/branch-trees.ts'
import type { BranchMounts } from '../../../src/main/core/ports/branch-mounts.ts'
import type { EntryBody } from '../../../src/shared/model/entry.ts'
import type { BranchId, LayerId, ThreadId } from '../../../src/shared/model/ids.ts'
import { isQuick } from '../support/flags.ts'
import { temporaryFolder } from '../support/folders.ts'
import { sideBySide, timed } from '../support/measure.ts'
import { type Row, shortCount } from '../support/report.ts'

const never = new AbortController().signal
const packages = isQuick ? 100 : 400
const filesInPackage = 25
const ignoredFiles = isQuick ? 2_000 : 10_000
const deep = 50
const forksAtOnce = 1_000

/** What commands leave: how fast a fork has it, a view shows many layers of it, and a command's end keeps it. */
export async function environmentRows(): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  const root = join(folder.path, 'root')
  mkdirSync(root)
  writeFileSync(join(root, '.gitignore'), 'node_modules/\ndist/\n')
  await using mounts = createBranchMounts({ rootFolder: root, mountsFolder: join(folder.path, 'joined/views') })
  await using plain = createBranchMounts({
    rootFolder: root,
    mountsFolder: join(folder.path, 'plain/views'),
    mostInStack: 1_000,
  })
  const { kind } = await mounts.findStrategy()
  if (kind !== 'overlay') throw new Error(`This machine makes views by ${kind}, so the goal says nothing here.`)
  return [
    ...(await forkRows(mounts, folder.path)),
    await deepRow(plain, `ready view of ${deep} layers, not joined`),
    await deepRow(mounts, `ready view of ${deep} layers`),
    await captureRow(mounts, folder.path, { name: 'find', words: ['-printf', 'x'] }),
    await captureRow(mounts, folder.path, { name: 'find, with permissions', words: ['-printf', '%y%m'] }),
  ]
}

async function forkRows(mounts: BranchMounts, beside: string): Promise<readonly Row[]> {
  const install = `mkdir -p node_modules; for p in $(seq ${packages}); do mkdir -p node_modules/p$p/lib
    for f in $(seq ${filesInPackage}); do printf '%02000d' $f > node_modules/p$p/lib/$f.js; done; done`
  const environment = await leave(mounts, install, [])
  const installed = treesWith(environment)
  const empty = treesWith([])
  const forks = (trees: BranchTrees) => async () => (await timed(() => forkOften(trees))) / forksAtOnce
  const folds = await sideBySide(forks(installed), forks(empty), { runs: 15 })
  const layer = join(beside, 'joined/environments', environment[0] ?? '', 'files/node_modules')
  const copies = await sideBySide(forks(installed), () => copyOf(layer, join(beside, 'copy')))
  const operation = `fork with ${packages} packages`
  const most = folds.peer.median + 1
  return [
    {
      operation,
      unit: 'ms',
      coppice: folds.coppice,
      peer: { name: 'fork without an environment', sample: folds.peer },
      goal: { text: '≤ 1 ms beside it', limit: most },
    },
    {
      operation,
      unit: 'ms',
      coppice: copies.coppice,
      peer: { name: 'cp -a', sample: copies.peer },
      goal: { text: '≤ 1/1,000', limit: copies.peer.median / 1_000 },
    },
  ]
}

async function deepRow(mounts: BranchMounts, operation: string): Promise<Row> {
  const one = await leave(mounts, 'mkdir -p dist; echo 0 > dist/0', [])
  let layers = one
  for (let count = 1; count < deep; count += 1) layers = await leave(mounts, `echo ${count} > dist/${count}`, layers)
  await mounts.keepLayers(new Set([...(await mounts.layerUsage()).map(({ id }) => id)]))
  const both = await sideBySide(
    () => readyView(mounts, 'deep', layers),
    () => readyView(mounts, 'flat', one),
    { runs: 15, warmUps: 2 },
  )
  return {
    operation,
    unit: 'ms',
    coppice: both.coppice,
    peer: { name: 'one layer', sample: both.peer },
    goal: { text: '≤ 1.3 ×', limit: 1.3 * both.peer.median },
  }
}

interface Finder {
  readonly name: string
  readonly words: readonly string[]
}

/** A capture says which files may be run, so it asks for permissions, which `find` alone does not. */
async function captureRow(mounts: BranchMounts, beside: string, { name, words }: Finder): Promise<Row> {
  const write = (folder: string) =>
    `mkdir -p ${folder}; cd ${folder}; for i in $(seq ${ignoredFiles}); do echo $i > file-$i.js; done`
  // Both look at files that were written a moment ago.
  const found = async () => {
    const same = join(beside, 'same')
    execFileSync('bash', ['-c', write(same)])
    const figure = await timed(() => execFileSync('find', [same, ...words]))
    rmSync(same, { recursive: true })
    return figure
  }
  const captured = async () => {
    await using mount = await mounts.open({ owner: 'capture', overlay: [], environment: [] }, never)
    await runInside(mount.enter(['bash', '-c', write('dist')]))
    return timed(() => mount.capture())
  }
  const both = await sideBySide(captured, found, { runs: 9 })
  return {
    operation: `capture of ${shortCount(ignoredFiles)} ignored files`,
    unit: 'ms',
    coppice: both.coppice,
    peer: { name, sample: both.peer },
    goal: { text: '≤ 1.3 ×', limit: 1.3 * both.peer.median },
  }
}

async function leave(mounts: BranchMounts, script: string, environment: readonly LayerId[]) {
  await using mount = await mounts.open({ owner: 'branch', overlay: [], environment }, never)
  await runInside(mount.enter(['bash', '-c', script]))
  return (await mount.capture()).environment
}

/** Milliseconds until a program has run in the view. */
async function readyView(mounts: BranchMounts, owner: string, environment: readonly LayerId[]): Promise<number> {
  const started = performance.now()
  await using mount = await mounts.open({ owner, overlay: [], environment }, never)
  await runInside(mount.enter(['true']))
  return performance.now() - started
}

const thread = 'thread' as ThreadId
const forkOf = (branchId: BranchId, parentId: BranchId | null): EntryBody => ({
  type: 'branch.forked',
  branchId,
  parentId,
  ownerThreadId: thread,
  handle: null,
  name: branchId,
})

function treesWith(layers: readonly LayerId[]): BranchTrees {
  const root = 'root' as BranchId
  const entries: readonly EntryBody[] = [
    forkOf(root, null),
    ...(layers.length > 0 ? [{ type: 'environment.changed' as const, branchId: root, layers, callId: null }] : []),
  ]
  return entries.reduce(fold, emptyBranchTrees)
}

function fold(trees: BranchTrees, entry: EntryBody, index: number): BranchTrees {
  return foldTrees(trees, { ...entry, sequence: index + 1, at: 0, threadId: thread })
}

function forkOften(trees: BranchTrees): void {
  let now = trees
  for (let count = 0; count < forksAtOnce; count += 1)
    now = fold(now, forkOf(`fork ${count}` as BranchId, 'root' as BranchId), count + 2)
}

async function copyOf(from: string, to: string): Promise<number> {
  const figure = await timed(() => execFileSync('cp', ['-a', from, to]))
  rmSync(to, { recursive: true })
  return figure
}
