import { ancestorsOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { TreeEditor } from '../overlay/tree-editor.ts'
import { walk } from '../overlay/walk.ts'

/** True where a file or link of the parent's stands above a path or below it. */
export async function isBlocked(editor: TreeEditor, path: VirtualPath): Promise<boolean> {
  return (await leafAbove(editor, path)) !== null || (await leavesBelow(editor, path)).length > 0
}

/**
 * Makes the folders above a path, and room at the path itself.
 *
 * @returns the files and links that had to go
 */
export async function clearWay(editor: TreeEditor, path: VirtualPath): Promise<readonly VirtualPath[]> {
  const above = await leafAbove(editor, path)
  if (above) await editor.remove(above)
  const below = await leavesBelow(editor, path)
  if ((await editor.locate(path, false)).node?.kind === 'directory') await editor.remove(path)
  await editor.makeFolders(parentOf(path))
  return above ? [above, ...below] : below
}

/** There is one at most: nothing lies below a file. */
async function leafAbove(editor: TreeEditor, path: VirtualPath): Promise<VirtualPath | null> {
  for (const folder of [...ancestorsOf(path)].reverse()) {
    const { node } = await editor.locate(folder, false)
    if (!node) return null
    if (node.kind !== 'directory') return folder
  }
  return null
}

async function leavesBelow(editor: TreeEditor, path: VirtualPath): Promise<readonly VirtualPath[]> {
  const { node } = await editor.locate(path, false)
  if (node?.kind !== 'directory') return []
  const { entries } = await walk(editor.view, path)
  return entries.filter((below) => below.node.kind !== 'directory').map((below) => below.path)
}
