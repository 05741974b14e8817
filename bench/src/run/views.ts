import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createBranchMounts } from '../../../src/main/adapters/mounts/branch-mounts.ts'
import { runInside } from '../../../src/main/adapters/mounts/namespace.ts'
import { openSandbox } from '../../../src/main/adapters/shell/open-sandbox.ts'
import { createShell } from '../../../src/main/adapters/shell/shell.ts'
import type { BranchMounts, MountEntry } from '../../../src/main/core/ports/branch-mounts.ts'
import type { VirtualPath } from '../../../src/shared/model/virtual-path.ts'
import { isQuick } from '../support/flags.ts'
import { makeTree, temporaryFolder } from '../support/folders.ts'
import { git, makeRepository } from '../support/git.ts'
import { figuresOf, type Sample, summarise, timed } from '../support/measure.ts'
import { type Row, shortCount, versus } from '../support/report.ts'

const never = new AbortController().signal
const sizes = isQuick ? [2_000, 10_000] : [20_000, 100_000]
const changed = isQuick ? [10, 1_000] : [10, 100, 1_000, 10_000]
const ready = { text: '≤ 25 ms', limit: 25 }

/**
 * Goal 13: the time until a program has run in a mount, compared with other ways, for two project sizes. Also the
 * time of a capture for several numbers of changes.
 */
export async function viewRows(): Promise<readonly Row[]> {
  const rows: Row[] = []
  const first: Sample[] = []
  for (const files of sizes) {
    using folder = temporaryFolder()
    const tree = join(folder.path, 'tree')
    makeTree(tree, files, 200)
    await using mounts = createBranchMounts({ rootFolder: tree, mountsFolder: join(folder.path, 'views') })
    const { kind } = await mounts.findStrategy()
    if (kind !== 'overlay') throw new Error(`This machine makes views by ${kind}, so the goal says nothing here.`)
    // Writes the new project to disk now. Otherwise the system would write it during the measurements.
    execFileSync('sync')
    const captures = await captureRows(mounts, files)
    const opened = await readyRows(mounts, tree, folder.path, files)
    if (opened[0]) first.push(opened[0].coppice)
    rows.push(...opened, ...captures)
  }
  const [small, large] = first
  if (small && large) rows.push(flatness(small, large))
  return rows
}

async function readyRows(mounts: BranchMounts, tree: string, beside: string, files: number): Promise<readonly Row[]> {
  const named = `${shortCount(files)} files`
  let owner = 0
  const fresh = summarise(await figuresOf(() => readyView(mounts, `owner ${owner++}`, []), { runs: 15 }))
  const again = summarise(await figuresOf(() => readyView(mounts, 'again', []), { runs: 15 }))
  const overlay = branchOf(100)
  const branch = summarise(await figuresOf(() => readyView(mounts, 'branch', overlay), { runs: 15, warmUps: 2 }))
  const execute = await sandboxed(mounts, tree)
  const copy = summarise(await figuresOf(() => copyOf(tree, join(beside, 'copy')), { runs: 3, warmUps: 0 }))
  makeRepository(tree)
  const worktree = summarise(await figuresOf(() => worktreeOf(tree, join(beside, 'worktree')), { runs: 3, warmUps: 0 }))
  return [
    {
      operation: `ready view, first: ${named}`,
      unit: 'ms',
      coppice: fresh,
      ...versus('git worktree add', worktree),
      goal: ready,
    },
    { operation: `ready view, again: ${named}`, unit: 'ms', coppice: again, ...versus('cp -r', copy), goal: ready },
    { operation: `ready view, again, 100 files changed: ${named}`, unit: 'ms', coppice: branch, goal: ready },
    { operation: `execute "true" in the sandbox: ${named}`, unit: 'ms', coppice: execute },
  ]
}

/** Milliseconds until a program has run in the mount. */
async function readyView(mounts: BranchMounts, owner: string, overlay: readonly MountEntry[]): Promise<number> {
  const started = performance.now()
  await using mount = await mounts.open({ owner, overlay }, never)
  await runInside(mount.enter(['true']))
  return performance.now() - started
}

async function sandboxed(mounts: BranchMounts, rootFolder: string): Promise<Sample> {
  await using sandbox = await openSandbox([], { home: homedir() })
  const shell = createShell({ sandbox, rootFolder })
  const once = () =>
    timed(async () => {
      await using mount = await mounts.open({ owner: 'sandboxed', overlay: [] }, never)
      await shell.execute({ command: 'true', timeoutMs: 10_000, mount: mount, onOutput: () => {} }, never)
      await mount.capture()
    })
  return summarise(await figuresOf(once, { runs: 15 }))
}

async function captureRows(mounts: BranchMounts, files: number): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const count of changed) {
    const script = `mkdir -p changed && cd changed && for i in $(seq ${count}); do echo "changed $i" > "file-$i.ts"; done`
    const once = async () => {
      await using mount = await mounts.open({ owner: 'capture', overlay: [] }, never)
      await runInside(mount.enter(['bash', '-c', script]))
      let captured = 0
      const figure = await timed(async () => {
        captured = (await mount.capture()).changes.length
      })
      if (captured !== count) throw new Error(`Captured ${captured} of ${count}`)
      return figure
    }
    const coppice = summarise(await figuresOf(once, { runs: 5 }))
    rows.push({
      operation: `capture of ${shortCount(count)} changed files: ${shortCount(files)} files`,
      unit: 'ms',
      coppice,
    })
  }
  return rows
}

function flatness(small: Sample, large: Sample): Row {
  const ratio = large.median / small.median
  const sample = { median: ratio, low: ratio, high: ratio, runs: 1 }
  const [few = 0, many = 0] = sizes
  const operation = `ready view, first: ${shortCount(many)} against ${shortCount(few)} files`
  return { operation, unit: '×', coppice: sample, goal: { text: 'flat: ≤ 1.3 ×', limit: 1.3 } }
}

function branchOf(count: number): readonly MountEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'file',
    path: `/branch-${String(index).padStart(5, '0')}.ts` as VirtualPath,
    content: String(index),
    read: () => Buffer.from(`changed ${index}\n`),
    executable: false,
  }))
}

async function copyOf(tree: string, target: string): Promise<number> {
  const figure = await timed(() => execFileSync('cp', ['-r', tree, target]))
  rmSync(target, { recursive: true })
  return figure
}

async function worktreeOf(tree: string, target: string): Promise<number> {
  const figure = await timed(() => git(tree, 'worktree', 'add', '--detach', target))
  git(tree, 'worktree', 'remove', '--force', target)
  return figure
}
