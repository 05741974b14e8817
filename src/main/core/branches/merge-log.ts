import type { Conflict, MergeBase, MergeResult } from '#shared/model/branch.ts'
import { type Patch, sameNode } from '#shared/model/patch.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { entryAt, type Tree } from '../overlay/tree.ts'
import { conflictOf } from './decide.ts'
import { goalOf, type MergeUnit, sidesOf } from './sides.ts'

export interface MergePlan {
  readonly result: MergeResult
  /** Over the parent's tree. */
  readonly patch: Patch
  /** What the next merge of these paths compares with. */
  readonly bases: MergeBase[]
}

/** Gathers what a merge did, so that every path either side touched is named. */
export interface MergeLog {
  conflict(conflict: Conflict): void
  /** Refused: the parent stays as it is. */
  skip(unit: MergeUnit): void
  /** Refused because something else stands where the file would go. */
  blocked(unit: MergeUnit): void
  /** By force, these went to make room. */
  overwritten(unit: MergeUnit, removed: readonly VirtualPath[]): void
  done(unit: MergeUnit, joined: boolean): void
  /** The parent has all of it already: the next merge starts from here. */
  advance(unit: MergeUnit): void
  readonly result: MergeResult
  readonly bases: MergeBase[]
}

export function createMergeLog(theirs: Tree): MergeLog {
  const written: VirtualPath[] = []
  const deleted: VirtualPath[] = []
  const renamed: { from: VirtualPath; to: VirtualPath }[] = []
  const merged: VirtualPath[] = []
  const conflicts: Conflict[] = []
  const skipped: VirtualPath[] = []
  const bases: MergeBase[] = []

  const advance = (unit: MergeUnit) => {
    for (const { path, base, theirs: node } of sidesOf(unit)) {
      if (!sameNode(base, node)) bases.push([path, { node, pin: entryAt(theirs, path)?.pin ?? null }])
    }
  }
  const kindConflict = (unit: MergeUnit) => {
    const { path, ...sides } = goalOf(unit)
    if (!conflicts.some((known) => known.path === path)) conflicts.push(conflictOf(path, 'kind', sides, false))
  }

  return {
    result: { written, deleted, renamed, merged, conflicts, skipped },
    bases,
    conflict: (conflict) => void conflicts.push(conflict),
    skip: (unit) => void skipped.push(...sidesOf(unit).map(({ path }) => path)),
    blocked(unit) {
      kindConflict(unit)
      skipped.push(...sidesOf(unit).map(({ path }) => path))
    },
    overwritten(unit, removed) {
      kindConflict(unit)
      deleted.push(...removed)
    },
    done(unit, joined) {
      const { path, theirs: node } = goalOf(unit)
      if (unit.kind !== 'path') renamed.push({ from: unit.from.path, to: path })
      else if (!joined) (node ? written : deleted).push(path)
      if (joined) merged.push(path)
      advance(unit)
    },
    advance,
  }
}

/** What the parent is to hold there. */
export function wantedNode(unit: MergeUnit, joined: TreeNode | null): TreeNode | null {
  return joined ?? goalOf(unit).theirs
}
