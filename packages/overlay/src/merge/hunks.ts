import { splitLines } from '../git-patch/patch-file.ts'
import type { Patch } from '../model/patch.ts'
import { failure, type Result, success } from '../model/result.ts'
import { isLarge, type TreeNode } from '../model/tree-node.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Hashing } from '../ports/hashing.ts'
import type { TextHunk, TextMerge } from '../ports/text-merge.ts'
import { exactText, isBinary } from '../tree/binary.ts'
import type { LeafChange } from '../tree/changes.ts'
import { type Leaf, readNode, type TreeSources } from '../tree/nodes.ts'
import { diffTrees, emptyTree, entryAt, type Tree } from '../tree/tree.ts'
import { createTreeEditor } from '../tree/tree-editor.ts'
import type { MergePlan } from './execute.ts'
import { goBack, planRevert } from './go-back.ts'
import { planUnits } from './plan.ts'
import { changedFile, changeOf, unmergedFile } from './resolve-conflict.ts'
import { splitHunk } from './split-hunk.ts'
import type { MergeSources, MergeUnit } from './three-way.ts'
import { unitAt } from './units.ts'

export interface FileHunks {
  /** Empty for a file that is not text. */
  readonly hunks: readonly TextHunk[]
  /** Fingerprint of exactly these hunks of this change. Null when they cannot be chosen one by one. */
  readonly fingerprint: string | null
}

export interface HunkSources {
  /** Holds the content of both versions. */
  readonly blobs: BlobStore
  /** Makes the fingerprint. */
  readonly hashing: Hashing
  /** Finds the hunks. */
  readonly textMerge: TextMerge
}

/** Chosen hunks of one file: their positions in the list that a person saw, and the fingerprint of that list. */
export interface HunkChoice {
  /** The path as shown; either path of a rename. */
  readonly path: VirtualPath
  /** 0-based positions in the list. */
  readonly hunks: readonly number[]
  /** The fingerprint of the list that the person saw. */
  readonly fingerprint: string
}

/** `changed`: the file changed since it was shown. `missing`: a chosen hunk does not exist. */
export type HunkRefusal = 'changed' | 'missing'

const contextLines = 3

/**
 * The hunks that a person sees and chooses from. Links and text that is not UTF-8 are only shown; binary files are not
 * shown.
 */
export async function fileHunks(change: LeafChange, sources: HunkSources): Promise<FileHunks> {
  const [before, after] = [textOf(change.before, sources.blobs), textOf(change.after, sources.blobs)]
  if (!before || !after) return { hunks: [], fingerprint: null }
  const { hunks: joined } = await sources.textMerge.hunks(before.text, after.text, contextLines)
  const hunks = joined.flatMap(splitHunk)
  const choosable = before.exact && after.exact && hunks.length > 0
  return { hunks, fingerprint: choosable ? fingerprintOf(change, hunks, sources.hashing) : null }
}

/**
 * The old file with the chosen hunks taken, or the new file with them dropped. Hunks are about lines: the mode stays
 * that of the version they are put into. A file that was created or deleted has only one hunk.
 */
async function chooseHunks(
  change: LeafChange,
  { hunks: chosen, fingerprint: expected }: HunkChoice,
  how: 'take' | 'drop',
  sources: HunkSources,
): Promise<Result<Leaf | null, HunkRefusal>> {
  const { hunks, fingerprint } = await fileHunks(change, sources)
  if (fingerprint === null || fingerprint !== expected) return failure('changed')
  if (chosen.length === 0 || chosen.some((index) => hunks[index] === undefined)) return failure('missing')
  const { before, after } = change
  if (before?.kind !== 'file' || after?.kind !== 'file') return success(how === 'take' ? after : before)
  const taken = hunks.filter((_, index) => chosen.includes(index) === (how === 'take'))
  const lines = [before, after].map((node) => splitLines(exactText(readNode(sources.blobs, node)) ?? ''))
  const bytes = new TextEncoder().encode(joinHunks(lines[0] ?? [], lines[1] ?? [], taken))
  return success({ ...(how === 'take' ? before : after), blob: sources.blobs.put(bytes), size: bytes.length })
}

/** Takes whole lines from both sides, so that they keep their own line ends. */
function joinHunks(old: readonly string[], fresh: readonly string[], taken: readonly TextHunk[]): string {
  const parts: string[] = []
  let at = 0
  for (const { oldStart, oldLines, newStart, newLines } of taken) {
    const start = firstLine(oldStart, oldLines)
    const from = firstLine(newStart, newLines)
    parts.push(...old.slice(at, start), ...fresh.slice(from, from + newLines))
    at = start + oldLines
  }
  return [...parts, ...old.slice(at)].join('')
}

/** Zero-based. An empty side has the number of the line before it. */
function firstLine(start: number, lines: number): number {
  return lines === 0 ? start : start - 1
}

function textOf(node: Leaf | null, blobs: BlobStore): { readonly text: string; readonly exact: boolean } | undefined {
  if (isLarge(node)) return undefined
  const bytes = readNode(blobs, node)
  const text = exactText(bytes)
  if (text !== undefined) return { text, exact: node?.kind !== 'symlink' }
  return isBinary(bytes) ? undefined : { text: new TextDecoder().decode(bytes), exact: false }
}

/** The positions count too, because a comparison that hit its limit finds other hunks. */
function fingerprintOf(change: LeafChange, hunks: readonly TextHunk[], hashing: Hashing): string {
  const { path, renamedFrom = null, before, after } = change
  const places = hunks.map(({ oldStart, oldLines, newStart, newLines }) => [oldStart, oldLines, newStart, newLines])
  return hashing.hash(new TextEncoder().encode(JSON.stringify([path, renamedFrom, before, after, places])))
}

/**
 * Merges chosen hunks of one file with the parent's current version. The base of the next merge is the old base with
 * these hunks applied, so the other hunks can still be merged.
 */
export async function planMergeHunks(options: MergeSources & HunkChoice): Promise<Result<MergePlan, HunkRefusal>> {
  const unit = await unitAt(options, options.path)
  const taken = await chooseHunks(changeOf(unit), options, 'take', options)
  if (!taken.ok) return taken
  const choice = { paths: [options.path], force: false, strategy: 'three_way' } as const
  return success(await planUnits({ ...options, ...choice }, [withTheirs(unit, taken.value)]))
}

function withTheirs(unit: MergeUnit, theirs: TreeNode | null): MergeUnit {
  switch (unit.kind) {
    case 'path':
      return { ...unit, sides: { ...unit.sides, theirs } }
    case 'rename':
      return { ...unit, to: { ...unit.to, theirs } }
    case 'moved':
      return { ...unit, from: { ...unit.from, theirs }, to: { ...unit.to, theirs } }
  }
}

/** The patch that resets chosen hunks of one file to the base. */
export async function planRevertHunks(
  options: TreeSources & HunkChoice & { readonly tree: Tree; readonly textMerge: TextMerge },
): Promise<Result<Patch, HunkRefusal>> {
  const { tree, path } = options
  const change = await changedFile(options, emptyTree, tree, path)
  return dropHunks(options, tree, change, () => planRevert(tree, [path]))
}

/** The patch that removes chosen hunks of one file, as a merge would bring them, from a branch. */
export async function planDiscardHunks(options: MergeSources & HunkChoice): Promise<Result<Patch, HunkRefusal>> {
  const change = await unmergedFile(options, options.path)
  const { fork, theirs, path } = options
  return dropHunks(options, theirs, change, () => goBack(theirs, fork, [path]))
}

async function dropHunks(
  options: TreeSources & HunkChoice & { readonly textMerge: TextMerge },
  tree: Tree,
  change: LeafChange | undefined,
  whole: () => Patch,
): Promise<Result<Patch, HunkRefusal>> {
  if (!change) return failure('changed')
  const rest = await chooseHunks(change, options, 'drop', options)
  if (!rest.ok) return rest
  if (!change.before || !change.after) return success(whole())
  const editor = createTreeEditor({ ...options, tree })
  await editor.place(change.path, rest.value, { renamedFrom: entryAt(tree, change.path)?.renamedFrom })
  return success(diffTrees(tree, editor.tree))
}
