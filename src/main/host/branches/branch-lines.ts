import { listChanges, type MergeSources, type Tree } from '#overlay'
import type { BranchLines } from '#shared/contract/views/branches.ts'

interface Counted {
  readonly fork: Tree
  readonly lines: Promise<BranchLines>
}

/** By the compared tree, so that an unchanged branch is counted once. */
const counted = new WeakMap<Tree, Counted>()

/** Counts the lines that a branch changed since its fork, merged or not. For the workspace, since it was opened. */
export function branchLines(sources: MergeSources): Promise<BranchLines> {
  const { fork, theirs } = sources
  const known = counted.get(theirs)
  if (known?.fork === fork) return known.lines
  const lines = count(sources, fork, theirs)
  counted.set(theirs, { fork, lines })
  lines.catch(() => counted.delete(theirs))
  return lines
}

async function count(sources: MergeSources, from: Tree, to: Tree): Promise<BranchLines> {
  const changes = await listChanges({ ...sources, from, to })
  const sum = (of: 'added' | 'removed'): number => changes.reduce((all, change) => all + (change[of] ?? 0), 0)
  return { files: changes.length, added: sum('added'), removed: sum('removed') }
}
