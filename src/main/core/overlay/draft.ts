import type { Patch } from '#shared/model/patch.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import { isWithin, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { FileTreeError, type RemovedPaths, type WritableTree } from '../ports/file-tree.ts'
import { refuseGit } from './git-names.ts'
import { createLocate, type Located } from './locate.ts'
import { type Leaf, pinOf, placeNode, resolveNode, type TreeSources } from './nodes.ts'
import { viewOf } from './overlay-tree.ts'
import { planFolderRemoval } from './remove-folder.ts'
import { diffTrees, entryAt, type Tree, withEntry } from './tree.ts'
import { rebased, walk } from './walk.ts'

/** The changes of one tool call over a branch: taken as one patch when the call succeeds, forgotten when it fails. */
export interface Draft extends WritableTree {
  readonly tree: Tree
  patch(): Patch
}

/** More than this is not carried in one move; a shell command can still do it. */
const maxMovedFiles = 20_000

export function createDraft(options: TreeSources & { readonly tree: Tree }): Draft {
  const { base, blobs, tree: start } = options
  let tree = start
  const locate = createLocate(base, () => tree)
  const view = viewOf(options, () => tree, locate)

  /** All or nothing, whatever fails in between. */
  async function atomically<Value>(change: () => Promise<Value>): Promise<Value> {
    const before = tree
    try {
      return await change()
    } catch (error) {
      tree = before
      throw error
    }
  }

  async function place(path: VirtualPath, node: TreeNode | null, renamedFrom?: VirtualPath): Promise<void> {
    tree = placeNode(tree, path, node, await pinOf(options, tree, path), renamedFrom)
  }

  /** Where a change of `path` lands. Git's own folder is refused by the name asked for and by the one links lead to. */
  async function target(path: VirtualPath, followLast: boolean): Promise<Located> {
    refuseGit(path)
    const found = await locate(path, followLast)
    refuseGit(found.path)
    if (found.blockedBy) throw notADirectory(path, found.blockedBy)
    return found
  }

  async function makeFolders(folder: VirtualPath): Promise<void> {
    if (folder === rootPath) return
    const node = (await locate(folder, false)).node
    if (node?.kind === 'directory') return
    if (node) throw notADirectory(folder, folder)
    await makeFolders(parentOf(folder))
    await place(folder, { kind: 'directory' })
  }

  async function write(path: VirtualPath, bytes: Uint8Array, executable?: boolean): Promise<'created' | 'replaced'> {
    const found = await target(path, true)
    if (found.path === rootPath || found.node?.kind === 'directory') throw isADirectory(path)
    const wasExecutable = found.node?.kind === 'file' && found.node.executable
    const node = {
      kind: 'file',
      blob: blobs.put(bytes),
      size: bytes.length,
      executable: executable ?? wasExecutable,
    } as const
    await makeFolders(parentOf(found.path))
    await place(found.path, node, originOf(found))
    return found.node ? 'replaced' : 'created'
  }

  async function remove(path: VirtualPath): Promise<RemovedPaths> {
    const { node } = await locate(path, false)
    if (node?.kind !== 'directory') {
      await place(path, null)
      return { files: 1, folders: 0 }
    }
    const plan = await planFolderRemoval(view, tree, path)
    for (const below of plan.whiteouts) await place(below, null)
    for (const below of plan.forgotten) tree = withEntry(tree, below, null)
    if (plan.opaque) tree = withEntry(tree, path, { node: null, pin: await pinOf(options, tree, path), opaque: true })
    else await place(path, null)
    return plan.removed
  }

  async function carry(from: VirtualPath, to: VirtualPath): Promise<void> {
    const entry = entryAt(tree, from)
    const node = await resolveNode({ ...options, tree }, from)
    await place(to, node, node && node.kind !== 'directory' ? (entry?.renamedFrom ?? from) : undefined)
  }

  async function move(from: VirtualPath, to: VirtualPath): Promise<void> {
    if (from === rootPath || to === rootPath)
      throw new FileTreeError('root', rootPath, 'The project root cannot be moved.')
    const source = await target(from, false)
    const goal = await target(to, false)
    if (!source.node) throw notFound(from)
    if (source.path === goal.path) return
    if (isWithin(goal.path, source.path)) throw intoItself(from, to)
    if (goal.node && (goal.node.kind === 'directory' || source.node.kind === 'directory')) throw alreadyExists(to)
    await makeFolders(parentOf(goal.path))
    await carry(source.path, goal.path)
    if (source.node.kind === 'directory') await carryBelow(source.path, goal.path)
    await remove(source.path)
  }

  async function carryBelow(from: VirtualPath, to: VirtualPath): Promise<void> {
    const { entries, unreadable } = await walk(view, from)
    if (unreadable > 0) throw refused(from, `${unreadable} entries of ${from} cannot be read, so it cannot be moved.`)
    if (entries.length > maxMovedFiles)
      throw refused(from, `${from} holds ${entries.length} files and folders, too many to move at once.`)
    for (const { path } of entries) {
      refuseGit(path)
      await carry(path, rebased(path, from, to))
    }
  }

  async function makeLeaf(path: VirtualPath, leaf: Leaf): Promise<void> {
    const found = await target(path, false)
    if (found.path === rootPath || found.node?.kind === 'directory') throw isADirectory(path)
    await makeFolders(parentOf(found.path))
    await place(found.path, leaf)
  }

  return {
    ...view,
    get tree() {
      return tree
    },
    patch: () => diffTrees(start, tree),
    write: (path, bytes, chosen) => atomically(() => write(path, bytes, chosen?.executable)),
    makeSymlink: (path, link) => atomically(() => makeLeaf(path, { kind: 'symlink', target: link })),
    move: (from, to) => atomically(() => move(from, to)),
    delete: (path) =>
      atomically(async () => {
        if (path === rootPath) throw new FileTreeError('root', path, 'The project root cannot be deleted.')
        const found = await target(path, false)
        if (!found.node) throw notFound(path)
        return remove(found.path)
      }),
    makeDirectory: (path) =>
      atomically(async () => {
        const found = await target(path, true)
        if (found.node && found.node.kind !== 'directory') throw alreadyExists(path)
        await makeFolders(found.path)
      }),
    setExecutable: (path, executable) =>
      atomically(async () => {
        const found = await target(path, true)
        const node = found.node ? await resolveNode({ ...options, tree }, found.path) : null
        if (!node) throw notFound(path)
        if (node.kind !== 'file') throw isADirectory(path)
        await place(found.path, { ...node, executable }, originOf(found))
      }),
  }
}

/** A renamed file stays renamed when it is written again. */
function originOf({ entry }: Located): VirtualPath | undefined {
  return entry?.node ? entry.renamedFrom : undefined
}

function refused(path: VirtualPath, message: string): FileTreeError {
  return new FileTreeError('refused', path, message)
}
function notFound(path: VirtualPath): FileTreeError {
  return new FileTreeError('not_found', path, `There is nothing at ${path}.`)
}
function isADirectory(path: VirtualPath): FileTreeError {
  return new FileTreeError('is_a_directory', path, `${path} is a folder, not a file.`)
}
function notADirectory(path: VirtualPath, blocker: VirtualPath): FileTreeError {
  return new FileTreeError('not_a_directory', path, `${blocker} is a file, so nothing can be below it.`)
}
function alreadyExists(path: VirtualPath): FileTreeError {
  return new FileTreeError('already_exists', path, `There is already something at ${path}. Delete or move it first.`)
}
function intoItself(from: VirtualPath, to: VirtualPath): FileTreeError {
  return new FileTreeError('into_itself', to, `${from} cannot be moved into itself (${to}).`)
}
