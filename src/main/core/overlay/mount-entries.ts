import { type OverlayEntry, permissionsOf } from '#shared/model/tree-node.ts'
import { ancestorsOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { MountEntry } from '../ports/branch-mounts.ts'
import { entriesWithin, type Tree } from './tree.ts'

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
