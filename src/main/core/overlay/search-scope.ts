import type { BlobHash } from '#shared/model/ids.ts'
import type { OverlayEntry } from '#shared/model/tree-node.ts'
import { ancestorsOf, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { OverlayText, SearchScope } from '../ports/search.ts'
import { entriesWithin, entryAt, hidesBelow, type Tree } from './tree.ts'

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
