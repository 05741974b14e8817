import { type FilePermissions, type OverlayEntry, permissionsOf } from '../model/tree-node.ts'
import { ancestorsOf, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import { entriesWithin, type Tree } from './tree.ts'

/** One change that turns a copy of the base into the branch. */
export type MountEntry =
  | ({
      readonly kind: 'file'
      readonly path: VirtualPath
      /** Equal for equal bytes. Bytes that were already written are not read again. */
      readonly content: string
      readonly read: () => Uint8Array
      /** Its time of modification, in milliseconds since the Unix epoch. Absent for the time at which it is written. */
      readonly time?: number
    } & FilePermissions)
  /** A moved file that is too large for the store. Its content is on the user's disk. */
  | ({
      readonly kind: 'large'
      readonly path: VirtualPath
      /** SHA-256 of the content. */
      readonly content: string
      /** The path of the project that had the content. */
      readonly from: VirtualPath
      /** In bytes. */
      readonly size: number
    } & FilePermissions)
  | { readonly kind: 'symlink'; readonly path: VirtualPath; readonly target: string }
  /** `opaque` hides what the base holds below the path. */
  | { readonly kind: 'directory'; readonly path: VirtualPath; readonly opaque: boolean }
  | { readonly kind: 'absent'; readonly path: VirtualPath }

/** Everything that a branch changed, as changes that turn a copy of the base into the branch. Sorted by path. */
export function mountEntries(tree: Tree, blobs: BlobStore): readonly MountEntry[] {
  const gone = new Set<VirtualPath>()
  const entries: MountEntry[] = []
  for (const [path, entry] of entriesWithin(tree, rootPath)) {
    if (ancestorsOf(path).some((folder) => gone.has(folder))) continue
    if (entry.node?.kind !== 'directory') gone.add(path)
    entries.push(mountEntry(path, entry, blobs))
  }
  return entries
}

function mountEntry(path: VirtualPath, { node, opaque }: OverlayEntry, blobs: BlobStore): MountEntry {
  switch (node?.kind) {
    case undefined:
      return { kind: 'absent', path }
    case 'file':
      if (node.large) {
        const { blob: content, size, large } = node
        return { kind: 'large', path, content, from: large.path, size, ...permissionsOf(node) }
      }
      return { kind: 'file', path, content: node.blob, read: () => blobs.get(node.blob), ...permissionsOf(node) }
    case 'symlink':
      return { kind: 'symlink', path, target: node.target }
    case 'directory':
      return { kind: 'directory', path, opaque: opaque === true }
  }
}
