import { sameNode } from '#shared/model/patch.ts'
import { type FileNode, isLarge, type TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type LeafChange, leafChanges, readUnread } from '../../overlay/changes.ts'
import { isLeaf, leafOf, readNode, type TreeSources } from '../../overlay/nodes.ts'
import { diffTrees, type Tree } from '../../overlay/tree.ts'
import { createTreeEditor } from '../../overlay/tree-editor.ts'
import { carryOut, createMergeLog, type MergePlan } from './execute.ts'
import { goalOf, type MergeSources, type MergeUnit, treesOf } from './three-way.ts'
import { unitAt } from './units.ts'

/** Each is null for a large file too. */
export interface ConflictBytes {
  /** The last common version; null when there was none. */
  readonly base: Uint8Array | null
  /** The parent's version; null when the parent has no file there. */
  readonly ours: Uint8Array | null
  /** The branch's version; null when the branch deleted it. */
  readonly theirs: Uint8Array | null
  /** What is there in each version; null for nothing. */
  readonly nodes: Readonly<Record<'base' | 'ours' | 'theirs', TreeNode | null>>
}

/**
 * The three versions of one path, null when absent. For a rename, the old path's version is used where the new path has
 * none.
 */
export async function conflictSides(options: MergeSources & { readonly path: VirtualPath }): Promise<ConflictBytes> {
  const unit = await unitAt(options, options.path)
  const { base, ours, theirs } = goalOf(unit)
  const earlier = unit.kind === 'rename' ? unit.from : undefined
  const bytesOf = (node: typeof base) => (isLeaf(node) && !isLarge(node) ? readNode(options.blobs, node) : null)
  const nodes = { base: base ?? earlier?.base ?? null, ours: ours ?? earlier?.ours ?? null, theirs }
  return { base: bytesOf(nodes.base), ours: bytesOf(nodes.ours), theirs: bytesOf(theirs), nodes }
}

/** Leaves the parent's version of one path as it is. The branch's version counts as merged from then on. */
export async function planKeep(options: MergeSources & { readonly path: VirtualPath }): Promise<MergePlan> {
  const log = createMergeLog(treesOf(options).theirs)
  log.advance(await unitAt(options, options.path))
  return { result: { ...log.result, merged: [options.path] }, patch: [], bases: log.bases }
}

/** Uses a person's text as the result of merging one path. The branch's version counts as merged from then on. */
export async function planResolve(
  options: MergeSources & { readonly path: VirtualPath; readonly bytes: Uint8Array },
): Promise<MergePlan> {
  const trees = treesOf(options)
  const unit = await unitAt(options, options.path)
  const editor = createTreeEditor({ ...options, tree: trees.ours })
  const log = createMergeLog(trees.theirs)
  await carryOut(editor, trees, [{ unit, merged: fileOf(options, unit) }], false, log)
  return { result: log.result, patch: diffTrees(trees.ours, editor.tree), bases: log.bases }
}

function fileOf({ blobs, bytes }: Parameters<typeof planResolve>[0], unit: MergeUnit): FileNode {
  const { ours, theirs } = goalOf(unit)
  const model = ours?.kind === 'file' ? ours : theirs
  const executable = model?.kind === 'file' && model.executable
  return { kind: 'file', blob: blobs.put(bytes), size: bytes.length, executable }
}

/**
 * How one path differs between two trees over one base; undefined when it does not. For a rename, `before` is the
 * version at the old path, and either path finds the change.
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

/** The change that merging a path would bring, compared with its last merge or the fork point. Undefined for none. */
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
