import type { BlobHash } from '../model/blob-hash.ts'
import type { OverlayEntry } from '../model/tree-node.ts'
import { ancestorsOf, joinPath, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import { entriesWithin, entryAt, hidesBelow, type Tree } from './tree.ts'

/** A file whose text is in the overlay, searched by the same engine as the base. */
export interface OverlayText {
  /** Where the text is in the branch, whatever the base holds there. */
  readonly path: VirtualPath
  /** Read lazily, when the file is searched. */
  readonly bytes: Uint8Array
  /** Hash of the bytes. Without it every search treats them as new. */
  readonly hash?: BlobHash
}

/** Where a search looks: in the base, without hidden paths, and in the overlay's files. */
export interface SearchScope {
  /** A folder or a file. */
  readonly path: VirtualPath
  /** Base paths that the overlay replaces or deletes. They and everything below them are not searched. */
  readonly hidden: readonly VirtualPath[]
  /** Folders of the overlay. A file of the base in the place of one is not searched, what a folder there holds is. */
  readonly made?: readonly VirtualPath[]
  /**
   * Files of the overlay below `path`, and the `.gitignore` files above it that the overlay changed. No rule excludes them: a
   * path that the branch changed is a change.
   */
  readonly overlay: readonly OverlayText[]
  /** Also searches files of the base that `.gitignore` excludes. */
  readonly includeIgnored: boolean
  /** Called when a `.gitignore` has rules beyond the bounds. They fit nothing, so the result may hold too much. */
  readonly onCutRules?: (() => void) | undefined
}

/** The scope of a search below `path` of a branch: the base without hidden paths, plus the overlay's files. */
export function branchScope(tree: Tree, blobs: BlobStore, path: VirtualPath, includeIgnored: boolean): SearchScope {
  const hides = (entry: OverlayEntry | null) => entry !== null && hidesBelow(entry)
  const hidden: VirtualPath[] = ancestorsOf(path).filter((folder) => hides(entryAt(tree, folder)))
  const made: VirtualPath[] = []
  const overlay: OverlayText[] = []
  for (const [changed, entry] of [...ignoreFilesAbove(tree, path), ...entriesWithin(tree, path)]) {
    const { node } = entry
    if (hides(entry)) hidden.push(changed)
    else made.push(changed)
    if (node?.kind === 'file') overlay.push(node.large ? namedOnly(changed) : textOf(changed, node.blob, blobs))
  }
  return { path, hidden, made, overlay, includeIgnored }
}

/** Changed ignore files above the scope, whose rules apply inside it too. */
function ignoreFilesAbove(tree: Tree, path: VirtualPath): readonly (readonly [VirtualPath, OverlayEntry])[] {
  if (path === rootPath) return []
  return [...ancestorsOf(path), rootPath].flatMap((folder) => {
    const file = joinPath(folder, '.gitignore')
    const entry = file === path ? null : entryAt(tree, file)
    return entry ? [[file, entry] as const] : []
  })
}

/** A large file is found by its name. Its text is only searched where the base has it. */
function namedOnly(path: VirtualPath): OverlayText {
  return { path, bytes: new Uint8Array() }
}

/** Fetches content only when needed, since listing names needs none. */
function textOf(path: VirtualPath, hash: BlobHash, blobs: BlobStore): OverlayText {
  return {
    path,
    hash,
    get bytes() {
      return blobs.get(hash)
    },
  }
}
