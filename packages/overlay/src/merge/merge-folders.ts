import type { MergeBase } from '../model/reports.ts'
import type { TreeNode } from '../model/tree-node.ts'
import { ancestorsOf, type VirtualPath } from '../model/virtual-path.ts'
import { versionIn } from '../tree/changes.ts'
import { isLeaf } from '../tree/nodes.ts'
import { diffTrees, entriesWithin, type Tree } from '../tree/tree.ts'
import type { TreeEditor } from '../tree/tree-editor.ts'
import { walk } from '../tree/walk.ts'
import { isChosen, type MergeSources } from './three-way.ts'

/**
 * Merges folders after their files. A folder that the branch deleted is deleted in the parent when it is empty there;
 * an empty folder that the branch made is made. Each is merged once, so later changes by the parent stay.
 */
export async function mergeFolders(
  editor: TreeEditor,
  options: Pick<MergeSources, 'fork' | 'theirs' | 'earlier'> & { readonly paths: readonly VirtualPath[] | null },
): Promise<readonly MergeBase[]> {
  const { fork, theirs, earlier } = options
  const bases: MergeBase[] = []
  for (const [path, [before, after]] of diffTrees(fork, theirs)) {
    if (!isChosen(options.paths, [path])) continue
    const pin = (before ?? after)?.pin ?? null
    const merged = earlier?.baseOf(path)
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

/**
 * Removes a folder without files; false when a file is left in it. With `withInner`, the folders inside that hold no
 * file are then removed too, because an opaque folder does not list them.
 */
async function removeWhenEmpty(editor: TreeEditor, path: VirtualPath, withInner: boolean): Promise<boolean> {
  const found = await editor.locate(path, false)
  if (found.node?.kind !== 'directory' || found.path !== path) return true
  const { entries, unreadable } = await walk(editor.files, path)
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
