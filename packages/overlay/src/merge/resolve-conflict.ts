import { sameNode } from '../model/patch.ts'
import { type Result, success } from '../model/result.ts'
import { type FileNode, isLarge, permissionsOf, type TreeNode } from '../model/tree-node.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import type { BaseTree } from '../ports/base-tree.ts'
import { type LeafChange, leafChanges, readUnread } from '../tree/changes.ts'
import { isLeaf, leafOf, readNode, type TreeSources } from '../tree/nodes.ts'
import { rewriteText } from '../tree/text-form.ts'
import { diffTrees, type Tree } from '../tree/tree.ts'
import { createTreeEditor } from '../tree/tree-editor.ts'
import { carryOut, createMergeLog, type MergePlan } from './execute.ts'
import { goalOf, type MergeSources, type MergeUnit } from './three-way.ts'
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
  const log = createMergeLog(options.theirs)
  log.advance(await unitAt(options, options.path))
  return { result: { ...log.result, merged: [options.path] }, patch: [], bases: log.bases }
}

/**
 * Uses a person's text as the result of merging one path, in the form of the parent's file, else of the branch's. The
 * branch's version counts as merged from then on. The error says why the text does not fit.
 */
export async function planResolve(
  options: MergeSources & { readonly path: VirtualPath; readonly text: string },
): Promise<Result<MergePlan, string>> {
  const unit = await unitAt(options, options.path)
  const merged = fileOf(options, unit)
  if (!merged.ok) return merged
  const editor = createTreeEditor({ ...options, tree: options.ours })
  const log = createMergeLog(options.theirs)
  await carryOut(editor, options, [{ unit, merged: merged.value }], false, log)
  return success({ result: log.result, patch: diffTrees(options.ours, editor.tree), bases: log.bases })
}

function fileOf({ blobs, text }: Parameters<typeof planResolve>[0], unit: MergeUnit): Result<FileNode, string> {
  const { ours, theirs } = goalOf(unit)
  const model = [ours, theirs].find((node) => node?.kind === 'file') ?? null
  const fitted = rewriteText(isLarge(model) ? new Uint8Array() : readNode(blobs, model), text)
  if (!fitted.ok) return fitted
  const permissions = model?.kind === 'file' ? permissionsOf(model) : { executable: false }
  return success({ kind: 'file', blob: blobs.put(fitted.value), size: fitted.value.length, ...permissions })
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
  const { byPath, byOrigin } = await changesBetween(sources.base, from, to)
  const [own, renamed] = [byPath.get(path), byOrigin.get(path)]
  const found = own?.after || !renamed ? own : renamed
  const origin = found?.renamedFrom && byPath.get(found.renamedFrom)
  if (!found || !origin) return found && readUnread(sources, found)
  return { ...found, before: (await readUnread(sources, origin)).before }
}

interface FoundChanges {
  readonly from: Tree
  readonly byPath: ReadonlyMap<VirtualPath, LeafChange>
  /** Renames by their old path. */
  readonly byOrigin: ReadonlyMap<VirtualPath, LeafChange>
}

/** The changes found last, by the tree that has them. A review asks for each file of thousands by itself. */
const lastFound = new WeakMap<Tree, FoundChanges>()

async function changesBetween(base: BaseTree, from: Tree, to: Tree): Promise<FoundChanges> {
  const known = lastFound.get(to)
  if (known?.from === from) return known
  const changes = await leafChanges(base, from, to)
  const found = {
    from,
    byPath: new Map(changes.map((change) => [change.path, change])),
    byOrigin: new Map(changes.flatMap((change) => (change.renamedFrom ? [[change.renamedFrom, change]] : []))),
  }
  // What a folder hides as a whole is in the base, which may change at any time.
  if (!hidesWhole(from, to)) lastFound.set(to, found)
  return found
}

function hidesWhole(from: Tree, to: Tree): boolean {
  return diffTrees(from, to).some(([, [before, after]]) => before?.opaque !== after?.opaque)
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
