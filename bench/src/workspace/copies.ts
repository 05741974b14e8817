import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fastestParent, makeTree, temporaryFolder } from '../support/folders.ts'
import { git, makeRepository } from '../support/git.ts'
import { figuresOf, type Sample, summarise, timed } from '../support/measure.ts'

/**
 * Other ways to give an agent its own files, on a tree of 20,000 files and 111 MB. Null if this machine cannot do it.
 */
export interface Copies {
  readonly overlayMount: Sample | null
  readonly worktree: Sample | null
  readonly copy: Sample | null
}

const files = 20_000
const bytesEach = 5_550
const warmUps = 2

export async function measureCopies(): Promise<Copies> {
  using folder = temporaryFolder(fastestParent(4 * files * 8_192))
  const tree = join(folder.path, 'tree')
  makeTree(tree, files, bytesEach)
  return {
    overlayMount: available(() => overlayMounts(tree, join(folder.path, 'overlay'))),
    copy: await figuresOf(() => copyOf(tree, join(folder.path, 'copy')), { runs: 5 }).then(summarise, () => null),
    worktree: await worktrees(tree, join(folder.path, 'worktree')).catch(() => null),
  }
}

function overlayMounts(tree: string, work: string): Sample {
  const script = join(import.meta.dirname, '../peers/mount-overlay.mjs')
  const args = ['-rm', process.execPath, script, tree, work, String(warmUps + 15)]
  const output = execFileSync('unshare', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const figures: readonly number[] = JSON.parse(output)
  return summarise(figures.slice(warmUps))
}

async function copyOf(tree: string, target: string): Promise<number> {
  const figure = await timed(() => execFileSync('cp', ['-r', tree, target]))
  rmSync(target, { recursive: true })
  return figure
}

async function worktrees(tree: string, target: string): Promise<Sample> {
  makeRepository(tree)
  const add = async () => {
    const figure = await timed(() => git(tree, 'worktree', 'add', '--detach', target))
    git(tree, 'worktree', 'remove', '--force', target)
    return figure
  }
  return summarise(await figuresOf(add, { runs: 5 }))
}

function available(measureIt: () => Sample): Sample | null {
  try {
    return measureIt()
  } catch {
    return null
  }
}
