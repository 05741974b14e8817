import type { FileNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { readNode } from '../overlay/nodes.ts'
import { diffTrees } from '../overlay/tree.ts'
import { createTreeEditor } from '../overlay/tree-editor.ts'
import { carryOut } from './carry-out.ts'
import { createMergeLog, type MergePlan } from './merge-log.ts'
import { unitAt } from './merge-units.ts'
import { goalOf, type MergeSources, type MergeUnit, treesOf } from './sides.ts'

export interface ConflictBytes {
  readonly base: Uint8Array | null
  readonly ours: Uint8Array | null
  readonly theirs: Uint8Array | null
}

/** The three versions of one path, null where it is absent; across a rename, the old path's where the new one has none. */
export async function conflictSides(options: MergeSources & { readonly path: VirtualPath }): Promise<ConflictBytes> {
  const unit = await unitAt(options, options.path)
  const { base, ours, theirs } = goalOf(unit)
  const earlier = unit.kind === 'rename' ? unit.from : undefined
  const bytesOf = (node: typeof base) => (node && node.kind !== 'directory' ? readNode(options.blobs, node) : null)
  return {
    base: bytesOf(base ?? earlier?.base ?? null),
    ours: bytesOf(ours ?? earlier?.ours ?? null),
    theirs: bytesOf(theirs),
  }
}

/** A person's own text as the result of merging one path. The branch's version counts as merged from then on. */
export async function planResolve(
  options: MergeSources & { readonly path: VirtualPath; readonly bytes: Uint8Array },
): Promise<MergePlan> {
  const trees = treesOf(options)
  const unit = await unitAt(options, options.path)
  const editor = createTreeEditor({ ...options, tree: trees.ours })
  const log = createMergeLog(trees.theirs)
  await carryOut(editor, trees, [{ unit, joined: fileOf(options, unit) }], false, log)
  return { result: log.result, patch: diffTrees(trees.ours, editor.tree), bases: log.bases }
}

function fileOf({ blobs, bytes }: Parameters<typeof planResolve>[0], unit: MergeUnit): FileNode {
  const { ours, theirs } = goalOf(unit)
  const model = ours?.kind === 'file' ? ours : theirs
  const executable = model?.kind === 'file' && model.executable
  return { kind: 'file', blob: blobs.put(bytes), size: bytes.length, executable }
}
