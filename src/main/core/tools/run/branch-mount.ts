import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { isWithin, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { mountEntries } from '../../overlay/mount-entries.ts'
import type { OverlayTransaction } from '../../overlay/overlay-transaction.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { BranchMount, BranchMounts, MountCapture, MountChange, MountEntry } from '../../ports/branch-mounts.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import type { ToolContext } from '../tool.ts'
import { type RefusedChange, takeOverPlaces } from './place-changes.ts'

/** The calling thread's branch as real files, for code that runs without approval. */
export interface CodeMount extends AsyncDisposable {
  /** Without the files that the agent may not read, and without `.git`. */
  readonly mount: Pick<BranchMount, 'folder' | 'enter' | 'places' | 'leftOut'>
  /** Turns the code's changes into changes of the call: all of them, or none and a `FileTreeError`. */
  takeOver(): Promise<CodeCapture>
}

export interface CodeCapture extends Pick<MountCapture, 'ignoredChanges'> {
  /** Number of files that changed, in the project and in the places beside it. */
  readonly changedFiles: number
}

type CodeContext = Pick<ToolContext, 'access' | 'branch' | 'files' | 'signal'>
export type OpenCodeMount = (context: CodeContext) => Promise<CodeMount>

/**
 * Opens a mount for code, without `.git` and without files that need approval to be read. A later command would run
 * hooks and settings from `.git`. The mount is separate from that of commands, because commands run what is left in
 * theirs.
 */
export function createOpenCodeMount(mounts: BranchMounts, blobs: BlobStore, branchId: BranchId): OpenCodeMount {
  const owner = `${branchId} code`
  return async ({ access, branch, files, signal }) => {
    const hidden = (await files.glob('**', rootPath, true, signal)).filter((path) => !access.mayRead(path))
    const overlay = without(mountEntries(branch.tree, blobs), [...hidden, '/.git' as VirtualPath])
    // Places hold nothing that a command runs, so code and commands of a branch share them.
    const places = { owner: branchId, places: files.places(), sealed: false }
    const mount = await mounts.open({ owner, overlay, places }, signal)
    return {
      mount,
      async takeOver() {
        const captured = await mount.capture()
        for (const { path } of captured.changes) refuseProtected(path, hidden, access.mayChange)
        await takeOver(branch, captured.changes)
        const { taken, refused } = await takeOverPlaces({ access, files }, mount.places, captured.placeChanges)
        if (refused[0]) throw refusedPlace(refused[0])
        const changed = captured.changes.filter(({ kind }) => kind !== 'directory').length
        return { ignoredChanges: captured.ignoredChanges, changedFiles: changed + taken.length }
      },
      async [Symbol.asyncDispose]() {
        await mount[Symbol.asyncDispose]()
        await mounts.remove(owner)
      },
    }
  }
}

function without(entries: readonly MountEntry[], hidden: readonly VirtualPath[]): readonly MountEntry[] {
  const paths = new Set(hidden)
  const absent = hidden.map((path): MountEntry => ({ kind: 'absent', path }))
  return [...entries.filter(({ path }) => !paths.has(path)), ...absent].sort((a, b) => byCodeUnit(a.path, b.path))
}

/** Refuses to change a protected path, or a folder that holds a file which the code could not see. */
function refuseProtected(
  path: VirtualPath,
  hidden: readonly VirtualPath[],
  mayChange: (path: VirtualPath) => boolean,
): void {
  const kept = mayChange(path) ? hidden.find((file) => isWithin(file, path)) : path
  if (kept === undefined) return
  throw new FileTreeError(
    'refused',
    kept,
    `${kept} is protected by a rule or may hold secrets, so code cannot change or remove it. None of the run’s changes were kept. Use the file tools for it, which ask.`,
  )
}

function refusedPlace({ path, why }: RefusedChange): FileTreeError {
  const text = `${JSON.stringify(path)} was not kept (${why}). None of the run’s changes were kept.`
  return new FileTreeError('refused', path as VirtualPath, text)
}

/** Opens the calling thread's branch as real files, with the call's changes so far and the places beside it. */
export type MountBranch = (context: Pick<ToolContext, 'branch' | 'files' | 'signal'>) => Promise<BranchMount>

/** `isConfined` is true when a sandbox keeps commands from writing to places that they may only read. */
export function createMountBranch(
  mounts: BranchMounts,
  blobs: BlobStore,
  owner: BranchId,
  isConfined: () => boolean,
): MountBranch {
  return ({ branch, files, signal }) => {
    const places = { owner, places: files.places(), sealed: !isConfined() }
    return mounts.open({ owner, overlay: mountEntries(branch.tree, blobs), places }, signal)
  }
}

/** Turns changes in a mount into changes of the branch. */
export async function takeOver(branch: OverlayTransaction, changes: readonly MountChange[]): Promise<void> {
  for (const change of changes) await takeOverOne(branch, change)
}

async function takeOverOne(branch: OverlayTransaction, change: MountChange): Promise<void> {
  switch (change.kind) {
    case 'file':
      await removeOther(branch, change.path, 'file')
      await branch.write(change.path, change.bytes, { executable: change.executable })
      return
    case 'symlink':
      await removeOther(branch, change.path, 'none')
      return branch.makeSymlink(change.path, change.target)
    case 'directory':
      await removeOther(branch, change.path, 'directory')
      return branch.makeDirectory(change.path)
    case 'absent':
      if (await branch.stat(change.path)) await branch.delete(change.path)
  }
}

/** Removes a path that changed its kind, so that nothing is written through a link. */
async function removeOther(
  branch: OverlayTransaction,
  path: VirtualPath,
  kind: 'file' | 'directory' | 'none',
): Promise<void> {
  const node = await branch.stat(path)
  if (node && node.kind !== kind) await branch.delete(path)
  const parent = await branch.stat(parentOf(path))
  if (parent && parent.kind !== 'directory') await branch.delete(parentOf(path))
}
