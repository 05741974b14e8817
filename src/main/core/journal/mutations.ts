import { isLeaf, kindOf } from '#overlay'
import type { ChangeKind } from '#shared/model/branch.ts'
import type { Entry } from '#shared/model/entry.ts'
import { type Patch, type PatchStep, sameNode } from '#shared/model/patch.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { patchesOf } from '../branches/branch-trees.ts'

/** One path that an entry changed on a branch. The entry says when, by whom and in which call. */
export interface Mutation {
  /** The path after the change. */
  readonly path: VirtualPath
  /** `create` or `delete` for a folder. */
  readonly kind: ChangeKind
  /** The old path of a rename; absent for other changes. */
  readonly from?: VirtualPath
}

/** The paths that an entry changed, sorted, one record for each rename. Empty for an entry that changes no tree. */
export function mutationsOf(entry: Entry): readonly Mutation[] {
  return patchesOf(entry).flatMap(({ patch }) => mutationsIn(patch))
}

function mutationsIn(patch: Patch): readonly Mutation[] {
  const steps = patch.map(([path, step]) => ({ path, step, ...sidesOf(step) }))
  const gone = new Map<VirtualPath, VirtualPath>()
  for (const { path, step, before, after } of steps) if (before && !after) gone.set(step[0]?.renamedFrom ?? path, path)
  const mutations: readonly Mutation[] = steps.flatMap(({ path, step, before, after }) => {
    const from = before ? undefined : gone.get(step[1]?.renamedFrom ?? path)
    const kind = kindBetween(before, after, from)
    return kind ? [{ path, kind, ...(from && { from }) }] : []
  })
  const renamed = new Set(mutations.flatMap(({ from }) => from ?? []))
  return mutations.filter(({ path, kind }) => kind !== 'delete' || !renamed.has(path))
}

/** Both versions of a path. A side without an overlay entry has the version that the other side pinned. */
export function sidesOf([before, after]: PatchStep): {
  readonly before: TreeNode | null
  readonly after: TreeNode | null
} {
  return {
    before: before ? before.node : (after?.pin ?? null),
    after: after ? after.node : (before?.pin ?? null),
  }
}

/**
 * The kind of a change; null when only internals of the overlay changed. A folder is made or deleted, never
 * modified.
 */
function kindBetween(
  before: TreeNode | null,
  after: TreeNode | null,
  renamedFrom: VirtualPath | undefined,
): ChangeKind | null {
  if (sameNode(before, after)) return null
  if (after?.kind === 'directory') return 'create'
  if (!after && before?.kind === 'directory') return 'delete'
  return kindOf({ before: isLeaf(before) ? before : null, after, ...(renamedFrom && { renamedFrom }) })
}
