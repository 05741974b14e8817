import type { EntryFromTool } from '#shared/model/entry.ts'
import type { BranchId, LayerId, ToolCallId } from '#shared/model/ids.ts'
import { parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { mountEntries } from '../../overlay/mount-entries.ts'
import type { OverlayTransaction } from '../../overlay/overlay-transaction.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { BranchMount, BranchMounts, MountCapture, MountChange } from '../../ports/branch-mounts.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import type { Hashing } from '../../ports/hashing.ts'
import type { FileScan } from '../../ports/search.ts'
import type { ToolContext } from '../tool.ts'
import { findHiddenFiles, type HiddenFiles, refuseProtected, withHidden } from './hidden-files.ts'
import { type RefusedChange, takeOverPlaces } from './place-changes.ts'

interface MountServices {
  readonly blobs: BlobStore
  readonly hashing: Hashing
  readonly search: FileScan
}

const gitFolder = '/.git' as VirtualPath

/** The calling thread's branch as real files, for code that runs without approval. */
export interface CodeMount extends AsyncDisposable {
  /** Without the files that the agent may not read, and without `.git`. */
  readonly mount: Pick<BranchMount, 'folder' | 'enter' | 'places' | 'leftOut'>
  /** What the code cannot see. */
  readonly hidden: Pick<HiddenFiles, 'paths' | 'unsearched'>
  /** Turns the code's changes into changes of the call: all of them, or none and a `FileTreeError`. */
  takeOver(): Promise<CodeCapture>
}

export interface CodeCapture extends Pick<MountCapture, 'ignoredChanges' | 'refusedLinks'> {
  /** Number of files that changed, in the project and in the places beside it. */
  readonly changedFiles: number
}

type CodeContext = Pick<ToolContext, 'access' | 'branch' | 'files' | 'signal' | 'environment'>
export type OpenCodeMount = (context: CodeContext) => Promise<CodeMount>

/**
 * Opens a mount for code, without `.git` and without files that need approval to be read. A later command would run
 * hooks and settings from `.git`. The mount is separate from that of commands, because commands run what is left in
 * theirs.
 */
export function createOpenCodeMount(
  mounts: BranchMounts,
  { blobs, hashing, search }: MountServices,
  branchId: BranchId,
): OpenCodeMount {
  const owner = `${branchId} code`
  return async ({ access, branch, files, signal }) => {
    const hidden = await findHiddenFiles({ access, branch, files, signal }, { hashing, search })
    const overlay = withHidden(mountEntries(branch.tree, blobs), { paths: [...hidden.paths, gitFolder], replaced: [] })
    // Places hold nothing that a command runs, so code and commands of a branch share them.
    const places = { owner: branchId, places: files.places(), sealed: false }
    const mount = await mounts.open({ owner, overlay, places }, signal)
    return {
      mount,
      hidden,
      async takeOver() {
        const captured = await mount.capture(false)
        for (const { path } of captured.changes) refuseProtected(path, hidden.paths, access.mayChange)
        await takeOver(branch, captured.changes)
        const { taken, refused } = await takeOverPlaces({ access, files }, mount.places, captured.placeChanges)
        if (refused[0]) throw refusedPlace(refused[0])
        const changed = captured.changes.filter(({ kind }) => kind !== 'directory').length
        const { ignoredChanges, refusedLinks = [] } = captured
        return { ignoredChanges, refusedLinks, changedFiles: changed + taken.length }
      },
      async [Symbol.asyncDispose]() {
        await mount[Symbol.asyncDispose]()
        await mounts.remove(owner)
      },
    }
  }
}

function refusedPlace({ path, why }: RefusedChange): FileTreeError {
  const text = `${JSON.stringify(path)} was not kept (${why}). None of the run’s changes were kept.`
  return new FileTreeError('refused', path as VirtualPath, text)
}

/** The calling thread's branch as real files, for a command. */
export interface CommandMount extends AsyncDisposable {
  /** The branch that it shows. */
  readonly branchId: BranchId
  /** With `.git`, but without files that the agent may not read and without credentials in the settings of git. */
  readonly mount: BranchMount
  /** What the command cannot see. */
  readonly hidden: Pick<HiddenFiles, 'paths' | 'unsearched'>
  /** What the agent must know about the project's setup. Null for nothing new. */
  readonly setupNote: string | null
  /**
   * Ends the mount and turns what the command changed into changes of the call: all of it, or none and a
   * `FileTreeError`. What it left in ignored files is kept only with `keeps`.
   */
  takeOver(keeps: boolean): Promise<MountCapture>
  /** The capture of a mount of which nothing is taken over. */
  readonly nothing: MountCapture
  /** What the journal must say for the next command to find what this one left. */
  entries(captured: MountCapture, callId: ToolCallId): readonly EntryFromTool[]
}

/** Opens the calling thread's branch as real files, with the call's changes so far and the places beside it. */
export type MountBranch = (context: CodeContext) => Promise<CommandMount>

export interface MountBranchOptions {
  /** True when a sandbox keeps commands from writing to places that they may only read. */
  readonly isConfined: () => boolean
  /** The layers of the branch's environment as the journal has them now. */
  readonly environment: () => readonly LayerId[]
  /** What the command finds of them, and of the project's setup. `note` is for the agent, null for nothing new. */
  readonly prepare: (
    own: readonly LayerId[],
    signal: AbortSignal,
  ) => Promise<{ readonly layers: readonly LayerId[]; readonly note: string | null }>
}

export function createMountBranch(
  mounts: BranchMounts,
  { blobs, hashing, search }: MountServices,
  owner: BranchId,
  { isConfined, environment, prepare }: MountBranchOptions,
): MountBranch {
  return async ({ access, branch, files, signal, environment: given }) => {
    const before = given ?? environment()
    const prepared = await prepare(before, signal)
    const places = { owner, places: files.places(), sealed: !isConfined() }
    const hiding = await findHiddenFiles({ access, branch, files, signal }, { hashing, search })
    const overlay = withHidden(mountEntries(branch.tree, blobs), hiding)
    const mount = await mounts.open({ owner, overlay, places, environment: prepared.layers }, signal)
    return {
      mount,
      branchId: owner,
      hidden: hiding,
      setupNote: prepared.note,
      nothing: { changes: [], ignoredChanges: 0, placeChanges: [], environment: prepared.layers },
      entries({ environment: layers }, callId) {
        const same = layers.length === before.length && layers.every((id, index) => id === before[index])
        return same ? [] : [{ type: 'environment.changed', branchId: owner, layers, callId }]
      },
      async takeOver(keeps) {
        try {
          const captured = await mount.capture(keeps)
          // Rules about changes are judged later, with everything else that the call changed.
          for (const { path } of captured.changes) refuseProtected(path, hiding.paths, () => true)
          await takeOver(branch, captured.changes)
          return captured
        } catch (error) {
          mount.dropCaptured()
          throw error
        }
      },
      [Symbol.asyncDispose]: () => mount[Symbol.asyncDispose](),
    }
  }
}

/** Turns changes in a mount into changes of the branch. */
export async function takeOver(branch: OverlayTransaction, changes: readonly MountChange[]): Promise<void> {
  // First, while the paths that large files came from still have them.
  await branch.carryFiles(
    changes.filter((change) => change.kind === 'large').map(({ path, ...rest }) => ({ to: path, ...rest })),
  )
  for (const change of changes) if (change.kind !== 'large') await takeOverOne(branch, change)
}

async function takeOverOne(branch: OverlayTransaction, change: Exclude<MountChange, { kind: 'large' }>): Promise<void> {
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
