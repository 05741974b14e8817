import { sameNode } from '#shared/model/patch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type LeafChange, leafChanges, readUnread } from '../overlay/leaf-changes.ts'
import { leafOf, type TreeSources } from '../overlay/nodes.ts'
import type { Tree } from '../overlay/tree.ts'
import { unitAt } from './merge-units.ts'
import type { MergeSources, MergeUnit } from './sides.ts'

/**
 * How one path differs between two trees over one base; undefined where it does not. Across a rename, `before` is what
 * stood at the old path, which finds the change too.
 */
export async function changedFile(
  sources: TreeSources,
  from: Tree,
  to: Tree,
  path: VirtualPath,
): Promise<LeafChange | undefined> {
  const changes = await leafChanges(sources.base, from, to)
  const own = changes.find((one) => one.path === path)
  const renamed = changes.find(({ renamedFrom }) => renamedFrom === path)
  const found = own?.after || !renamed ? own : renamed
  const origin = changes.find((one) => one.path === found?.renamedFrom)
  if (!found || !origin) return found && readUnread(sources, found)
  return { ...found, before: (await readUnread(sources, origin)).before }
}

/** What merging a path of a branch would bring over its version at the last merge, else over the fork point. */
export async function unmergedFile(sources: MergeSources, path: VirtualPath): Promise<LeafChange | undefined> {
  const change = changeOf(await unitAt(sources, path))
  return sameNode(change.before, change.after) && !change.renamedFrom ? undefined : change
}

export function changeOf(unit: MergeUnit): LeafChange {
  if (unit.kind === 'rename') {
    const { path, theirs } = unit.to
    return { path, renamedFrom: unit.from.path, before: leafOf(unit.from.base), after: leafOf(theirs) }
  }
  const { path, base, theirs } = unit.kind === 'path' ? unit.sides : unit.from
  return { path, before: leafOf(base), after: leafOf(theirs) }
}
