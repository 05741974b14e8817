import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { readNode } from '../overlay/nodes.ts'
import { diffTrees } from '../overlay/tree.ts'
import { createTreeEditor } from '../overlay/tree-editor.ts'
import { carryOut } from './carry-out.ts'
import { createMergeLog, goalOf, type MergePlan, sidesOf } from './merge-log.ts'
import { loadSides, type MergeSources, type MergeUnit, mergeUnits, treesOf } from './sides.ts'

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

/**
 * A person's own text as the result of merging one path. The branch's version counts as merged from then on; with
 * `takenBase`, only as far as its hunks went into that text.
 */
export async function planResolve(
  options: MergeSources & { readonly path: VirtualPath; readonly bytes: Uint8Array; readonly takenBase?: Uint8Array },
): Promise<MergePlan> {
  const trees = treesOf(options)
  const unit = await unitAt(options, options.path)
  const editor = createTreeEditor({ ...options, tree: trees.ours })
  const log = createMergeLog(trees.theirs)
  const joined = fileOf(options, unit, options.bytes)
  await carryOut(editor, trees, [{ unit, joined }], false, log)
  const bases = options.takenBase
    ? log.bases.map(([path, entry]) => [path, partBase(options, unit, path, entry)] as const)
    : log.bases
  return { result: log.result, patch: diffTrees(trees.ours, editor.tree), bases: [...bases] }
}

function partBase(
  options: Parameters<typeof planResolve>[0],
  unit: MergeUnit,
  path: VirtualPath,
  entry: MergePlan['bases'][number][1],
): MergePlan['bases'][number][1] {
  if (!entry || !options.takenBase || path !== goalOf(unit).path) return entry
  return { ...entry, node: fileOf(options, unit, options.takenBase) }
}

function fileOf({ blobs }: MergeSources, unit: MergeUnit, bytes: Uint8Array) {
  const { ours, theirs } = goalOf(unit)
  const model = ours?.kind === 'file' ? ours : theirs
  const executable = model?.kind === 'file' && model.executable
  return { kind: 'file', blob: blobs.put(bytes), size: bytes.length, executable } as const
}

async function unitAt(options: MergeSources, path: VirtualPath): Promise<MergeUnit> {
  const units = await mergeUnits(options, [path])
  const unit = units.find((one) => sidesOf(one).some((sides) => sides.path === path))
  return unit ?? { kind: 'path', sides: await loadSides(options, path) }
}
