import { branchScope, createOverlayTransaction, emptyTree, leafChanges, readNode } from '#overlay'
import { sameNode } from '#shared/model/patch.ts'
import { isWithin, joinPath, nameOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { planApply } from '../../branches/apply-plan.ts'
import { placeFolder } from '../../folders/placed-folder.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import { DiskApplyError } from '../../ports/disk-apply.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import type { Hashing } from '../../ports/hashing.ts'
import type { RealFolder } from '../../ports/real-folder.ts'
import type { BackendTree } from './backend-tree.ts'

export interface FolderTreeOptions {
  /** The path of the agent that stands for the folder. */
  readonly root: VirtualPath
  readonly folder: RealFolder
  readonly blobs: BlobStore
  readonly hashing: Hashing
  /** True for a path whose change a person approved, or is shown in a preview. */
  readonly mayWrite: (path: VirtualPath) => boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * A real folder of the person as a backend. Changes are collected over it like those of a branch. They reach the disk
 * only by `commitOutside`, through the guards of an apply: what changed on disk meanwhile, or turned into a link, is
 * refused.
 */
export function createFolderTree(options: FolderTreeOptions): BackendTree {
  const { root, folder, blobs, hashing, mayWrite } = options
  const placed = placeFolder(folder, root)
  const { base } = placed
  const sources = { base, blobs, hashing }
  const overlay = createOverlayTransaction({ ...sources, tree: emptyTree, signal: options.signal })
  const shown = JSON.stringify(folder.path)

  function refuseUnapproved(path: VirtualPath): void {
    if (!folder.apply)
      throw new FileTreeError('read_only', path, `${root} is the real folder ${shown}, which can only be read.`)
    if (path === root)
      throw new FileTreeError('root', path, `${root} is the real folder ${shown}. Change the files in it one by one.`)
    if (mayWrite(path)) return
    const message = `${path} is in the real folder ${shown} of the user. Only a file tool that names it can change it, after the user approved that.`
    throw new FileTreeError('refused', path, message)
  }

  /** The person approved the name. A link would have another file written. */
  async function refuseLink(path: VirtualPath, followLast: boolean): Promise<void> {
    const target = followLast
      ? await overlay.leadsTo(path)
      : joinPath(await overlay.leadsTo(parentOf(path)), nameOf(path))
    if (target === path) return
    const message = `${path} leads through a link to ${target}. Name the file itself, so that the user sees what is changed.`
    throw new FileTreeError('refused', path, message)
  }

  /** A link itself can be deleted and moved, but nothing is written through it. */
  async function target(path: VirtualPath, followLast = true): Promise<VirtualPath> {
    refuseUnapproved(path)
    await refuseLink(path, followLast)
    return path
  }

  return {
    stat: (path) => overlay.stat(path),
    async list(path) {
      const listing = await overlay.list(path)
      if (listing || path !== root) return listing
      throw new FileTreeError('not_found', path, `The real folder ${shown} behind ${root} is not there any more.`)
    },
    read: (path, range) => overlay.read(path, range),
    leadsTo: (path) => overlay.leadsTo(path),
    isOutside: true,
    search: placed.search,
    scopeOf: (path, includeIgnored) => branchScope(overlay.tree, blobs, path, includeIgnored),
    write: async (path, bytes, chosen) => overlay.write(await target(path), bytes, chosen),
    makeDirectory: async (path) => overlay.makeDirectory(await target(path)),
    setExecutable: async (path, executable) => overlay.setExecutable(await target(path), executable),
    makeSymlink: async (path) => {
      throw new FileTreeError('refused', path, `Links are not made in the real folder ${shown}.`)
    },
    delete: async (path) => overlay.delete(await target(path, false)),
    async move(from, to) {
      await overlay.move(await target(from, false), await target(to, false))
    },
    changes: async () =>
      (await leafChanges(base, emptyTree, overlay.tree)).map(({ path, before, after }) => ({
        path,
        kind: after === null ? 'delete' : before === null ? 'create' : 'modify',
      })),
    commit: () => undefined,
    async commitOutside() {
      const steps = await planApply({ ...sources, tree: overlay.tree, paths: null })
      const own = steps.filter(({ path, before, after }) => isWithin(path, root) && !sameNode(before, after))
      if (own.length === 0) return
      if (!folder.apply) throw new Error(`${folder.path} is only read, but it has changes.`)
      try {
        const moved = own.map((step) => ({ ...step, path: placed.inner(step.path) }))
        await folder.apply.apply(moved, ({ after }) => readNode(blobs, after))
      } catch (error) {
        if (!(error instanceof DiskApplyError)) throw error
        throw new FileTreeError('refused', root, `Nothing was changed in the real folder ${shown}. ${error.message}`)
      }
    },
  }
}
