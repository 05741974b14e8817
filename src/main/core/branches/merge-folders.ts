import type { MergeBase } from '#shared/model/branch.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { versionIn } from '../overlay/leaf-changes.ts'
import { isLeaf } from '../overlay/nodes.ts'
import { diffTrees, entriesWithin, type Tree } from '../overlay/tree.ts'
import type { TreeEditor } from '../overlay/tree-editor.ts'
import { walk } from '../overlay/walk.ts'
import { mergeBaseOf } from './branch-trees.ts'
import { isChosen, type MergeSources, treesOf } from './sides.ts'

/**
 * Folders follow their files: one that the branch deleted goes from the parent when nothing is left in it there, and an
 * empty one that the branch made is made. Each once: what the parent does with the folder later is the parent's.
 */
export async function mergeFolders(
  editor: TreeEditor,
  options: MergeSources & { readonly paths: readonly VirtualPath[] | null },
): Promise<readonly MergeBase[]> {
  const { fork, theirs } = treesOf(options)
  const bases: MergeBase[] = []
  for (const [path, [before, after]] of diffTrees(fork, theirs)) {
    if (!isChosen(options.paths, [path])) continue
    const pin = (before ?? after)?.pin ?? null
    const merged = mergeBaseOf(options.trees, options.branch.id, path)
    const was = isFolder(merged ? merged.node : versionIn(fork, path, pin))
    const node = versionIn(theirs, path, pin)
    const settled =
      was === isFolder(node) ||
      (was ? !(await removeWhenEmpty(editor, path, after?.opaque === true)) : holdsLeaves(theirs, path))
    if (settled) continue
    if (!was) await makeWhenFree(editor, path)
    if (!isLeaf(node)) bases.push([path, { node, pin }])
  }
  return bases
}

function isFolder(node: TreeNode | null): boolean {
  return node?.kind === 'directory'
}

/** False when something is left in it. Folders inside an opaque one went with it and are not listed by themselves. */
async function removeWhenEmpty(editor: TreeEditor, path: VirtualPath, withInner: boolean): Promise<boolean> {
  const found = await editor.locate(path, false)
  if (found.node?.kind !== 'directory' || found.path !== path) return true
  const { entries, unreadable } = await walk(editor.view, path)
  const leaves = entries.filter(({ node }) => node.kind !== 'directory')
  const kept = new Set(leaves.flatMap(({ path: below }) => ancestorsOf(below)))
  if (unreadable === 0 && leaves.length === 0) {
    await editor.remove(path)
    return true
  }
  const inner = withInner
    ? entries.filter(({ path: below, node }) => node.kind === 'directory' && !kept.has(below))
    : []
  for (const { path: below } of inner.reverse()) await editor.remove(below)
  return false
}

async function makeWhenFree(editor: TreeEditor, path: VirtualPath): Promise<void> {
  const found = await editor.locate(path, false)
  if (!found.node && !found.blockedBy && found.path === path) await editor.makeFolders(path)
}

function holdsLeaves(tree: Tree, folder: VirtualPath): boolean {
  for (const [, { node }] of entriesWithin(tree, folder)) if (node && node.kind !== 'directory') return true
  return false
}
