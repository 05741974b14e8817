import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { versionIn } from '../overlay/leaf-changes.ts'
import { diffTrees, entriesWithin, type Tree } from '../overlay/tree.ts'
import type { TreeEditor } from '../overlay/tree-editor.ts'
import { walk } from '../overlay/walk.ts'
import { isChosen, type MergeSources, treesOf } from './sides.ts'

/**
 * Folders follow their files: one that the branch deleted goes from the parent when nothing is left in it there, and an
 * empty one that the branch made is made.
 */
export async function mergeFolders(
  editor: TreeEditor,
  options: MergeSources & { readonly paths: readonly VirtualPath[] | null },
): Promise<void> {
  const { fork, theirs } = treesOf(options)
  for (const [path, [before, after]] of diffTrees(fork, theirs)) {
    if (!isChosen(options.paths, [path])) continue
    const shown = (before ?? after)?.pin ?? null
    const was = versionIn(fork, path, shown)?.kind === 'directory'
    const is = versionIn(theirs, path, shown)?.kind === 'directory'
    if (was && !is) await removeWhenEmpty(editor, path)
    if (!was && is && !holdsLeaves(theirs, path)) await makeWhenFree(editor, path)
  }
}

async function removeWhenEmpty(editor: TreeEditor, path: VirtualPath): Promise<void> {
  const found = await editor.locate(path, false)
  if (found.node?.kind !== 'directory' || found.path !== path) return
  const { entries, unreadable } = await walk(editor.view, path)
  if (unreadable === 0 && entries.every(({ node }) => node.kind === 'directory')) await editor.remove(path)
}

async function makeWhenFree(editor: TreeEditor, path: VirtualPath): Promise<void> {
  const found = await editor.locate(path, false)
  if (!found.node && !found.blockedBy && found.path === path) await editor.makeFolders(path)
}

function holdsLeaves(tree: Tree, folder: VirtualPath): boolean {
  for (const [, { node }] of entriesWithin(tree, folder)) if (node && node.kind !== 'directory') return true
  return false
}
