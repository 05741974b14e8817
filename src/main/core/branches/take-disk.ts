import { type Patch, sameNode, toPatch } from '#shared/model/patch.ts'
import type { OverlayEntry, TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { baseNode, nodeText, type TreeSources } from '../overlay/nodes.ts'
import { entryAt, type Tree } from '../overlay/tree.ts'
import type { TextMerge } from '../ports/text-merge.ts'

/** A path that changed in the workspace and on disk since the overlay pinned it. */
export interface DiskSides {
  /** The workspace's change, with the pin that both sides started from. */
  readonly entry: OverlayEntry
  /** Null when the file was deleted on disk. */
  readonly disk: TreeNode | null
}

/** Both sides of a path. Undefined when the overlay did not change it, or when the disk still equals the pin. */
export async function diskSides(sources: TreeSources, tree: Tree, path: VirtualPath): Promise<DiskSides | undefined> {
  const entry = entryAt(tree, path)
  if (!entry) return undefined
  const disk = await baseNode(sources, path)
  return sameNode(disk, entry.pin) ? undefined : { entry, disk }
}

/** The text with both changes. Null when they overlap, or when one of the three versions is not text. */
export async function mergedWithDisk(
  { entry, disk }: DiskSides,
  { blobs, textMerge }: Pick<TreeSources, 'blobs'> & { readonly textMerge: TextMerge },
): Promise<string | null> {
  if (entry.pin?.kind !== 'file' || entry.node?.kind !== 'file' || disk?.kind !== 'file') return null
  const [base, ours, theirs] = [entry.pin, entry.node, disk].map((node) => nodeText(blobs, node))
  if (base === undefined || ours === undefined || theirs === undefined) return null
  return (await textMerge.merge(base, ours, theirs))?.text ?? null
}

/**
 * The change that brings the workspace up to date with the disk. The disk's version becomes the pin, and `text` becomes
 * the file. A text equal to the disk's leaves no change.
 */
export function planTakeDisk(sources: TreeSources, path: VirtualPath, { entry, disk }: DiskSides, text: string): Patch {
  const bytes = new TextEncoder().encode(text)
  const executable = entry.node?.kind === 'file' ? entry.node.executable : disk?.kind === 'file' && disk.executable
  const node: TreeNode = { kind: 'file', blob: sources.blobs.put(bytes), size: bytes.length, executable }
  const taken = sameNode(node, disk) ? null : { ...entry, node, pin: disk }
  return toPatch([[path, [entry, taken]]])
}
