import type { Patch } from '../model/patch.ts'
import { type FilePermissions, permissionsOf, withExecutable } from '../model/tree-node.ts'
import { isWithin, parentOf, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import { type BaseNode, BaseTreeError, type ByteRange } from '../ports/base-tree.ts'
import { FileTreeError, type WritableTree } from '../ports/file-tree.ts'
import type { Located } from './locate.ts'
import { isLeaf, resolveNode } from './nodes.ts'
import { isUntouched } from './overlay-tree.ts'
import { refuseGit, refuseHidden, refuseOtherFolder, refuseRoot, refuseTooLong } from './path-guards.ts'
import { diffTrees, entryAt, type Tree } from './tree.ts'
import { createTreeEditor, notADirectory, type TreeEditorOptions } from './tree-editor.ts'
import { rebase, walk } from './walk.ts'

/**
 * The changes of one tool call over a branch. They become one patch when the call succeeds, and are dropped when it
 * fails.
 */
export interface OverlayTransaction extends WritableTree {
  /** The branch with the changes so far. */
  readonly tree: Tree
  /** From the tree at the start to the tree now; empty when nothing changed. */
  patch(): Patch
  /**
   * Puts files that the branch has now at other paths, all at once, so that two can change places. Their old paths stay
   * as they are. Replaces what is at the new paths. Throws `not_found` when a path has no file.
   */
  carryFiles(files: readonly CarriedFile[]): Promise<void>
  /** The path that `read` and `write` really use: `path` with every link on the way replaced. */
  leadsTo(path: VirtualPath): Promise<VirtualPath>
  /**
   * Reads a file that the branch did not change and that is at exactly this path: what was opened proves that no link leads
   * there. Undefined for everything else, also for what cannot be read at once; `read` says why.
   */
  readPlain(path: VirtualPath, range?: ByteRange): Promise<Uint8Array | undefined>
}

export type CarriedFile = FilePermissions & { readonly from: VirtualPath; readonly to: VirtualPath }

/** The most files in one move. A shell command can move more. */
const maxMovedFiles = 20_000

export function createOverlayTransaction(options: TreeEditorOptions): OverlayTransaction {
  const editor = createTreeEditor(options)

  /**
   * Where a change of `path` takes effect. Git's own folder is refused, by the given name and by the name that links
   * lead to.
   */
  async function target(path: VirtualPath, followLast: boolean): Promise<Located> {
    refuseGit(path)
    refuseHidden(options.base, path)
    refuseTooLong(path)
    const found = await editor.locate(path, followLast)
    refuseGit(found.path)
    refuseHidden(options.base, found.path)
    refuseTooLong(found.path)
    if (found.blockedBy) throw notADirectory(path, found.blockedBy)
    return found
  }

  /** Like `target`, for a change that puts a file or a link there. Makes the folders above it. */
  async function leafTarget(path: VirtualPath, followLast: boolean): Promise<Located> {
    const found = await target(path, followLast)
    if (found.path === rootPath || found.node?.kind === 'directory') throw isADirectory(path)
    await editor.makeFolders(parentOf(found.path))
    return found
  }

  async function write(
    path: VirtualPath,
    bytes: Uint8Array,
    chosen?: FilePermissions,
  ): Promise<'created' | 'replaced'> {
    const { path: real, node, entry } = await leafTarget(path, true)
    const kept = entry?.node?.kind === 'file' ? entry.node : { executable: node?.kind === 'file' && node.executable }
    const content = { blob: options.blobs.put(bytes), size: bytes.length }
    const file = { kind: 'file', ...content, ...permissionsOf(chosen ?? kept) } as const
    await editor.place(real, file, { renamedFrom: entry?.node ? entry.renamedFrom : undefined })
    return node ? 'replaced' : 'created'
  }

  async function setExecutable(path: VirtualPath, executable: boolean): Promise<void> {
    const found = await target(path, true)
    if (!found.node) throw notFound(path)
    if (found.node.kind === 'directory') throw isADirectory(path)
    const node = await resolveNode({ ...options, tree: editor.tree }, found.path)
    if (node?.kind !== 'file') throw notFound(path)
    const permissions = { executable, ...(node.mode !== undefined && { mode: withExecutable(node.mode, executable) }) }
    await editor.place(found.path, { ...node, ...permissions }, { renamedFrom: found.entry?.renamedFrom })
  }

  /** `shown` is what is at `from`. At another path the disk does not know its permissions any more. */
  async function carry(from: VirtualPath, to: VirtualPath, shown: BaseNode): Promise<void> {
    const origin = entryAt(editor.tree, from)?.renamedFrom ?? from
    const node = await resolveNode({ ...options, tree: editor.tree }, from)
    const carried = node?.kind === 'file' && shown.kind === 'file' ? { ...node, ...permissionsOf(shown) } : node
    refuseOtherFolder(options.base, carried ?? null, to)
    await editor.place(to, carried, { renamedFrom: isLeaf(node) ? origin : undefined })
  }

  async function carryFiles(files: readonly CarriedFile[]): Promise<void> {
    const found = []
    for (const { from, to, ...permissions } of files) {
      const { path, entry } = await target(from, false)
      const node = await resolveNode({ ...options, tree: editor.tree }, path)
      if (node?.kind !== 'file') throw notFound(from)
      const { mode: _, ...rest } = node
      found.push({ to, node: { ...rest, ...permissions }, origin: entry?.renamedFrom ?? path })
    }
    for (const { to, node, origin } of found) {
      await clearWay(to)
      const goal = await leafTarget(to, false)
      await editor.place(goal.path, node, { renamedFrom: origin })
    }
  }

  /** Removes a folder or a link at the path, and a file or a link in the place of the folder above it. */
  async function clearWay(path: VirtualPath): Promise<void> {
    const above = (await editor.locate(parentOf(path), false)).node
    if (above && above.kind !== 'directory') await editor.remove(parentOf(path))
    const there = (await editor.locate(path, false)).node
    if (there && there.kind !== 'file') await editor.remove(path)
  }

  async function carryBelow(from: VirtualPath, to: VirtualPath): Promise<void> {
    const { entries, unreadable } = await walk(editor.files, from, options.signal)
    if (unreadable > 0)
      throw invalidPath(from, `${unreadable} entries of ${from} cannot be read, so it cannot be moved.`)
    if (entries.length > maxMovedFiles)
      throw invalidPath(from, `${from} holds ${entries.length} files and folders, too many to move at once.`)
    for (const { path, node } of entries) {
      const goal = rebase(path, from, to)
      refuseGit(path)
      refuseHidden(options.base, goal)
      refuseTooLong(goal)
      await carry(path, goal, node)
    }
  }

  async function move(from: VirtualPath, to: VirtualPath): Promise<void> {
    if (from === rootPath || to === rootPath) throw isRoot('moved')
    const source = await target(from, false)
    refuseRoot(options.base, source.path)
    if (!source.node) throw notFound(from)
    const goal = await target(to, false)
    if (source.path === goal.path) return
    if (isWithin(goal.path, source.path)) throw intoItself(from, to)
    if (goal.node && (goal.node.kind === 'directory' || source.node.kind === 'directory')) throw alreadyExists(to)
    await editor.makeFolders(parentOf(goal.path))
    await carry(source.path, goal.path, source.node)
    if (source.node.kind === 'directory') await carryBelow(source.path, goal.path)
    await editor.remove(source.path)
  }

  return {
    ...editor.files,
    get tree() {
      return editor.tree
    },
    patch: () => diffTrees(options.tree, editor.tree),
    leadsTo: async (path) => (await editor.locate(path, true)).path,
    async readPlain(path, range) {
      if (!isUntouched(editor.tree, path)) return undefined
      try {
        return (await options.base.readUnlinked(path, range))?.bytes
      } catch (error) {
        if (error instanceof BaseTreeError) return undefined
        throw error
      }
    },
    write: (path, bytes, chosen) => editor.atomically(() => write(path, bytes, chosen)),
    setExecutable: (path, executable) => editor.atomically(() => setExecutable(path, executable)),
    carryFiles: (files) => editor.atomically(() => carryFiles(files)),
    move: (from, to) => editor.atomically(() => move(from, to)),
    makeSymlink: (path, link) =>
      editor.atomically(async () =>
        editor.place((await leafTarget(path, false)).path, { kind: 'symlink', target: link }),
      ),
    makeDirectory: (path) =>
      editor.atomically(async () => {
        const found = await target(path, true)
        if (found.node && found.node.kind !== 'directory') throw alreadyExists(path)
        await editor.makeFolders(found.path)
      }),
    delete: (path, chosen) =>
      editor.atomically(async () => {
        if (path === rootPath) throw isRoot('deleted')
        const found = await target(path, false)
        refuseRoot(options.base, found.path)
        if (!found.node) throw notFound(path)
        return editor.remove(found.path, chosen)
      }),
  }
}

function isRoot(done: string): FileTreeError {
  return new FileTreeError('root', rootPath, `The project root cannot be ${done}.`)
}
function invalidPath(path: VirtualPath, message: string): FileTreeError {
  return new FileTreeError('refused', path, message)
}
function notFound(path: VirtualPath): FileTreeError {
  return new FileTreeError('not_found', path, `There is nothing at ${path}.`)
}
function isADirectory(path: VirtualPath): FileTreeError {
  return new FileTreeError('is_a_directory', path, `${path} is a folder, not a file.`)
}
function alreadyExists(path: VirtualPath): FileTreeError {
  return new FileTreeError('already_exists', path, `There is already something at ${path}. Delete or move it first.`)
}
function intoItself(from: VirtualPath, to: VirtualPath): FileTreeError {
  return new FileTreeError('into_itself', to, `${from} cannot be moved into itself (${to}).`)
}
