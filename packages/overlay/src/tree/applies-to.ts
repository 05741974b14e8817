import { type Patch, sameEntry } from '../model/patch.ts'
import type { OverlayEntry } from '../model/tree-node.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { entryAt, hidesBase, type Tree } from './tree.ts'

/** True when every path of the tree is as the patch expects it. */
export function appliesTo(tree: Tree, patch: Patch): boolean {
  return patch.every(([path, [before]]) => isAt(tree, path, before))
}

/** True when the patch can be undone: every path is still as the patch left it. */
export function invertibleOn(tree: Tree, patch: Patch): boolean {
  return patch.every(([path, [, after]]) => isAt(tree, path, after))
}

/**
 * Below a folder that hides the base, a path without an entry counts as deleted. An apply names such paths with the
 * entry they would have, so that its inverse knows what was there.
 */
function isAt(tree: Tree, path: VirtualPath, expected: OverlayEntry | null): boolean {
  const entry = entryAt(tree, path)
  if (sameEntry(entry, expected)) return true
  return entry === null && expected?.node === null && hidesBase(tree, path)
}
