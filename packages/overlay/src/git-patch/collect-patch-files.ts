import { isLarge, octal } from '../model/tree-node.ts'
import { ancestorsOf, isWithin, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { GitAttributes } from '../ports/git-attributes.ts'
import type { Pace } from '../ports/pace.ts'
import { type LeafChange, leafChanges, readUnread } from '../tree/changes.ts'
import { type Leaf, readNode, type TreeSources } from '../tree/nodes.ts'
import { emptyTree, entriesWithin, entryAt, type Tree } from '../tree/tree.ts'
import { findAttributes } from './find-attributes.ts'
import { planLargeFiles } from './large-files.ts'
import {
  type LeftOut,
  linkMode,
  type PatchFile,
  type PatchSide,
  regularMode,
  sameBytes,
  splitLines,
  toBinaryText,
} from './patch-file.ts'
import { leaveOutRefused } from './refused-by-git.ts'

export interface CollectedPatch {
  /** One for each changed file; a rename is one file. */
  readonly files: PatchFile[]
  /** What the patch of all these files is made against, to verify the patch against. */
  readonly base: (PatchSide & { readonly path: string })[]
  /** Changes that a patch cannot carry. */
  readonly leftOut: readonly LeftOut[]
  /** What says how git stores the files. */
  readonly attributes: GitAttributes
}

/**
 * The files of a patch of some paths of a tree; null means all. A folder includes its content, and half of a rename its
 * other half.
 */
export async function collectPatchFiles(
  options: TreeSources & {
    /** What the patch is made against. Without it, the pinned base. */
    readonly from?: Tree
    readonly tree: Tree
    readonly paths: readonly VirtualPath[] | null
    readonly pace: Pace
  },
): Promise<CollectedPatch> {
  const changed = await leafChanges(options.base, options.from ?? emptyTree, options.tree)
  const chosen = chooseChanges(changed, options.paths)
  const { carried: all, leftOut } = await leaveOutRefused(options.base, chosen)
  const carried = all.filter((change) => !changesOnlyMode(change))
  const befores = new Map<VirtualPath, LeafChange>()
  const files: PatchFile[] = []
  const large = planLargeFiles(await Promise.all(carried.map((change) => readUnread(options, change))))
  const read = large.others
  for (const change of read) if (change.before) befores.set(change.path, change)
  for (const { path, before } of large.files) if (before) befores.set(path, { path, before, after: null })
  const sources = new Set(read.flatMap(({ renamedFrom }) => (renamedFrom ? [renamedFrom] : [])))
  for (const change of read) {
    if (!change.after && sources.has(change.path)) continue
    files.push(patchFile(change, befores, options.blobs))
    await options.pace()
  }
  files.push(...large.steps.map(({ renamedFrom, ...step }) => patchFileOf(step, renamedFrom, options.blobs)))
  const base: (PatchSide & { readonly path: string })[] = []
  for (const { path, before } of befores.values()) {
    const side = sideOf(before, options.blobs)
    if (side) base.push({ ...side, path: path.slice(1) })
    await options.pace()
  }
  const attributes = await findAttributes(options, changed, carried)
  return {
    files,
    base,
    leftOut: [...leftOut, ...large.leftOut, ...modesLeftOut(all), ...emptyFolders(options)],
    attributes,
  }
}

function chooseChanges(changes: readonly LeafChange[], paths: readonly VirtualPath[] | null): readonly LeafChange[] {
  const folders = new Set(changes.flatMap(({ path, after }) => (after ? ancestorsOf(path) : [])))
  const parted = changes.map((change) => partImpossible(change, folders))
  if (paths === null) return parted
  const inside = (path: VirtualPath | undefined) => path !== undefined && paths.some((one) => isWithin(path, one))
  const chosen = new Set<VirtualPath>()
  for (const { path, renamedFrom } of parted) {
    if (!inside(path) && !inside(renamedFrom)) continue
    chosen.add(path)
    if (renamedFrom) chosen.add(renamedFrom)
  }
  /** Also chooses the paths that are in the way of a chosen file or of its folders. */
  const above = new Set([...chosen].flatMap(ancestorsOf))
  return parted.filter(
    ({ path }) => chosen.has(path) || above.has(path) || ancestorsOf(path).some((folder) => chosen.has(folder)),
  )
}

/** Turns a rename into a deletion and a new file if its old or new path is also a folder, which git cannot express. */
function partImpossible(change: LeafChange, folders: ReadonlySet<VirtualPath>): LeafChange {
  const { renamedFrom, path } = change
  if (!renamedFrom || !(folders.has(renamedFrom) || isWithin(renamedFrom, path))) return change
  const { renamedFrom: _, ...rest } = change
  return rest
}

function patchFile(change: LeafChange, befores: ReadonlyMap<VirtualPath, LeafChange>, blobs: BlobStore): PatchFile {
  const { path, after, renamedFrom } = change
  const before = renamedFrom ? (befores.get(renamedFrom)?.before ?? null) : change.before
  return patchFileOf({ path, before, after }, renamedFrom, blobs)
}

function patchFileOf(
  { path, before, after }: Pick<LeafChange, 'path' | 'before' | 'after'>,
  renamedFrom: VirtualPath | undefined,
  blobs: BlobStore,
): PatchFile {
  const file = { path: path.slice(1), before: sideOf(before, blobs), after: sideOf(after, blobs) }
  return renamedFrom ? { ...file, renamedFrom: renamedFrom.slice(1) } : file
}

function sideOf(leaf: Leaf | null, blobs: BlobStore): PatchSide | null {
  if (!leaf) return null
  if (isLarge(leaf)) {
    const { gitId: largeId } = leaf.large
    const bytes = new TextEncoder().encode(`large file ${largeId}\n`)
    const large = { sha256: leaf.blob, size: leaf.size }
    return { mode: leaf.executable ? '100755' : regularMode, bytes, largeId, large }
  }
  const bytes = readNode(blobs, leaf)
  if (leaf.kind === 'symlink') return { mode: linkMode, bytes }
  return { mode: leaf.executable ? '100755' : regularMode, bytes }
}

function changesOnlyMode({ before, after }: LeafChange): boolean {
  const [one, other] = [before, after].map((leaf) => leaf?.kind === 'file' && `${leaf.blob} ${leaf.executable}`)
  return one !== false && one === other
}

/** Permissions that somebody chose, and that git gives no file. */
function modesLeftOut(changes: readonly LeafChange[]): readonly LeftOut[] {
  return changes.flatMap(({ path, before, after }) => {
    if (after?.kind !== 'file' || after.mode === undefined) return []
    const isOld = before?.kind === 'file' && before.mode === after.mode
    if (isOld || after.mode === (after.executable ? 0o755 : 0o644)) return []
    const why = `Only its permissions (${octal(after.mode)}), of which git stores no more than whether it may be run. Applying to disk sets them.`
    return [{ path, why }]
  })
}

/** Empty folders, which git cannot store because it knows folders only by their files. */
function emptyFolders({
  from = emptyTree,
  tree,
  paths,
}: {
  readonly from?: Tree
  readonly tree: Tree
  readonly paths: readonly VirtualPath[] | null
}): readonly LeftOut[] {
  return [...entriesWithin(tree, rootPath)].flatMap(([path, { node, pin }]) => {
    const chosen = paths === null || paths.some((one) => isWithin(path, one))
    if (!chosen || node?.kind !== 'directory' || pin?.kind === 'directory' || holdsSomething(tree, path)) return []
    if (entryAt(from, path)?.node?.kind === 'directory') return []
    return [{ path, why: 'A git patch cannot carry an empty folder.' }]
  })
}

function holdsSomething(tree: Tree, folder: VirtualPath): boolean {
  for (const [path, { node }] of entriesWithin(tree, folder)) if (path !== folder && node) return true
  return false
}

/** How much of a file a rename keeps, in percent of the larger size, counted by lines. Only equal files give 100. */
export function similarity(before: Uint8Array, after: Uint8Array): number {
  if (sameBytes(before, after)) return 100
  const size = Math.max(before.length, after.length)
  const known = new Map<string, number>()
  for (const line of linesOf(before)) known.set(line, (known.get(line) ?? 0) + 1)
  let kept = 0
  for (const line of linesOf(after)) {
    const count = known.get(line) ?? 0
    if (count === 0) continue
    known.set(line, count - 1)
    kept += line.length
  }
  return Math.min(99, Math.floor((kept * 100) / size))
}

function linesOf(bytes: Uint8Array): readonly string[] {
  return splitLines(toBinaryText(bytes))
}
