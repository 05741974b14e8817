import type { OverlayEntry, TreeNode } from '../model/tree-node.ts'
import { parentOf, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import { type DeleteOptions, type FileTree, FileTreeError, type RemovedPaths } from '../ports/file-tree.ts'
import { createLocate, type Locate } from './locate.ts'
import { pinOf, placeNode, type TreeSources } from './nodes.ts'
import { filesOf } from './overlay-tree.ts'
import { type FolderRemovalOptions, planFolderRemoval } from './remove-folder.ts'
import { entryAt, hidesBase, hidesBelow, isBelowMade, type Tree, withEntry } from './tree.ts'

/**
 * Changes one tree step by step and keeps its rules: folders have entries, first changes are pinned, reverted changes
 * disappear.
 */
export interface TreeEditor {
  /** The tree with the changes so far. */
  readonly tree: Tree
  /** Base and `tree` as one tree of files; follows every change. */
  readonly files: FileTree
  /** Looks into base and `tree`; follows every change. */
  readonly locate: Locate
  /** Puts a node at a path whose folders exist. `pin` saves reading the base when the caller knows its content. */
  place(path: VirtualPath, node: TreeNode | null, options?: PlaceOptions): Promise<void>
  /** Makes the missing folders of a path. Throws `not_a_directory` when a file is in the way. */
  makeFolders(folder: VirtualPath): Promise<void>
  /**
   * Removes a file, a link, or a folder with everything below it. The path must contain no link above its last
   * component.
   */
  remove(path: VirtualPath, options?: DeleteOptions): Promise<RemovedPaths>
  /** Reverts every step of a change that throws. */
  atomically<Value>(change: () => Promise<Value>): Promise<Value>
}

export interface PlaceOptions {
  /** What the base holds at the path; null for nothing. Read from the base when absent. */
  readonly pin?: TreeNode | null
  /** The path where the file first was; undefined when it was not renamed. */
  readonly renamedFrom?: VirtualPath | undefined
  /** Milliseconds since the Unix epoch. Defaults to the editor's clock. */
  readonly changedAt?: number | undefined
}

export interface TreeEditorOptions extends TreeSources, FolderRemovalOptions {
  /** The tree to start from. It never changes. */
  readonly tree: Tree
  /** Without a clock, changes have no time. */
  readonly now?: (() => number) | undefined
}

export function createTreeEditor(sources: TreeEditorOptions): TreeEditor {
  let tree = sources.tree
  const locate = createLocate(sources.base, () => tree)
  const files = filesOf(sources, () => tree, locate)

  async function place(path: VirtualPath, node: TreeNode | null, options: PlaceOptions = {}): Promise<void> {
    const pin = options.pin === undefined ? await pinOf(sources, tree, path) : options.pin
    const changedAt = options.changedAt ?? sources.now?.()
    tree = placeNode(tree, path, node, pin, {
      renamedFrom: options.renamedFrom,
      ...(changedAt !== undefined && { changedAt }),
    })
  }

  async function makeFolders(folder: VirtualPath): Promise<void> {
    if (folder === rootPath) return
    const { node, entry, blockedBy } = await locate(folder, false)
    if (node?.kind === 'directory' && (entry || !isBelowMade(tree, folder))) return
    if (node && node.kind !== 'directory') throw notADirectory(folder, blockedBy ?? folder)
    await makeFolders(parentOf(folder))
    const pin = await pinOf(sources, tree, folder)
    await place(folder, { kind: 'directory' }, { pin })
    if (!entryAt(tree, folder) && !(await isOfBaseAlone(folder)))
      tree = withEntry(tree, folder, { node: { kind: 'directory' }, pin })
  }

  /** Else the folder needs an entry: in a folder of the branch, or where the person has put something else by now. */
  async function isOfBaseAlone(folder: VirtualPath): Promise<boolean> {
    return !isBelowMade(tree, folder) && (await sources.base.statUnlinked(folder))?.kind === 'directory'
  }

  /** The branch's own folder may show one that the base got later, and without a pin its removal would leave that one. */
  async function pinShownFolder(path: VirtualPath): Promise<void> {
    const entry = entryAt(tree, path)
    if (!entry || hidesBelow(entry) || hidesBase(tree, path)) return
    const pin = (await sources.base.statUnlinked(path))?.kind
    if (pin === 'directory') tree = withEntry(tree, path, { ...entry, pin: { kind: pin } })
  }

  async function remove(path: VirtualPath, options: DeleteOptions = {}): Promise<RemovedPaths> {
    const { node } = await locate(path, false)
    if (node?.kind !== 'directory') {
      await place(path, null)
      return { files: 1, folders: 0 }
    }
    const leavesIgnored = options.leavesIgnored ? sources.base : undefined
    const plan = await planFolderRemoval(files, tree, path, { ...sources, leavesIgnored })
    await pinShownFolder(path)
    const pin = await pinOf(sources, tree, path)
    for (const below of plan.whiteouts) await place(below, null)
    for (const below of plan.forgotten) tree = withEntry(tree, below, null)
    if (plan.opaque && pin) tree = withEntry(tree, path, opaqueWhiteout(pin))
    else await place(path, null)
    return plan.removed
  }

  /** Its time tells what the base got later. */
  function opaqueWhiteout(pin: TreeNode): OverlayEntry {
    const changedAt = sources.now?.()
    return { node: null, pin, opaque: true, ...(changedAt !== undefined && { changedAt }) }
  }

  return {
    get tree() {
      return tree
    },
    files,
    locate,
    place,
    makeFolders,
    remove,
    async atomically(change) {
      const before = tree
      try {
        return await change()
      } catch (error) {
        tree = before
        throw error
      }
    },
  }
}

export function notADirectory(path: VirtualPath, blocker: VirtualPath): FileTreeError {
  return new FileTreeError('not_a_directory', path, `${blocker} is a file, so nothing can be below it.`)
}
