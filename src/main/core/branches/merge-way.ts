import { ancestorsOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { TreeEditor } from '../overlay/tree-editor.ts'
import { walk } from '../overlay/walk.ts'

/** Whether a file can be put at a path of the parent's tree. */
export type Way =
  | { readonly kind: 'clear' }
  | { readonly kind: 'blocked' }
  /** By force: these files and links had to go. */
  | { readonly kind: 'cleared'; readonly removed: readonly VirtualPath[] }

/** Makes the folders above a path, where no file or link stands in the way, and room at the path itself. */
export async function clearWay(editor: TreeEditor, path: VirtualPath, force: boolean): Promise<Way> {
  const removed: VirtualPath[] = []
  for (const folder of [...ancestorsOf(path)].reverse()) {
    const { node } = await editor.locate(folder, false)
    if (!node) break
    if (node.kind === 'directory') continue
    if (!force) return { kind: 'blocked' }
    await editor.remove(folder)
    removed.push(folder)
  }
  const { node } = await editor.locate(path, false)
  if (node?.kind === 'directory') {
    const leaves = (await walk(editor.view, path)).entries.filter((below) => below.node.kind !== 'directory')
    if (leaves.length > 0 && !force) return { kind: 'blocked' }
    await editor.remove(path)
    removed.push(...leaves.map((below) => below.path))
  }
  await editor.makeFolders(parentOf(path))
  return removed.length > 0 ? { kind: 'cleared', removed } : { kind: 'clear' }
}
