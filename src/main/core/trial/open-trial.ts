import { mountEntries, type OverlayTransaction, type Tree } from '#overlay'
import type { BranchId, LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type {
  BranchMount,
  BranchMounts,
  MountCapture,
  MountEntry,
  MountLook,
  MountView,
  PlacesRequest,
} from '../ports/branch-mounts.ts'
import type { WritableTree } from '../ports/file-tree.ts'
import type { Hashing } from '../ports/hashing.ts'
import type { FolderBeside } from '../ports/real-folder.ts'
import type { FileScan } from '../ports/search.ts'
import type { FileAccess } from '../secrets/file-access.ts'
import { findHiddenFiles, type HiddenFiles, withHidden } from './hidden-files.ts'
import { findShownFolders } from './shown-folders.ts'

/**
 * Whatever runs over a tree is a trial: a command, Python, a check, a setup, the hooks of a delivery, a process, a person's
 * terminal. It runs in a view of the tree, what it changed is captured, and a capture counts only when it is kept
 * (`keep.ts`). This is the one place that opens views, so that none is opened without the search for files that programs
 * must not see.
 *
 * JavaScript needs no view. It reaches files through the file tools alone, which ask `FileAccess` about every path.
 *
 * A trial hands the paths of its view on and never reads them itself. So an adapter behind `BranchMounts` may keep the
 * view wherever it likes.
 */
export interface Trial extends AsyncDisposable {
  /** What runs programs in it needs. */
  readonly view: MountView
  /** The tree that it shows, hidden files included. */
  readonly tree: Tree
  /** The layers that were asked for. Empty for a view without any. */
  readonly environment: readonly LayerId[]
  /** What programs cannot see. Empty for a person. */
  readonly hidden: Pick<HiddenFiles, 'paths' | 'unsearched'>
  /**
   * What programs changed so far, while they go on. It may mix two moments. Null where the system has no safe way to tell.
   */
  look(): Promise<MountLook | null>
  /**
   * Ends the view; call it once, after every program has ended. `isWhole` is false for programs that were cut off: what
   * they left in ignored files and in their home is dropped then. Throws `BranchMountError`.
   */
  capture(isWhole: boolean): Promise<MountCapture>
  /** Call when no entry will name the layers of the capture. */
  drop(): void
}

export interface TrialRequest {
  /** Whose view it is. Views of one owner open one at a time. */
  readonly owner: string
  /** The tree to show, with the changes of the call so far. */
  readonly branch: Pick<OverlayTransaction, 'tree' | 'stat' | 'read'>
  /** The same files as the agent's tools have them. Absent when those are the files of the branch alone. */
  readonly files?: Pick<WritableTree, 'stat' | 'read'>
  /** Which files programs may see. A `person` sees all of them. */
  readonly access: FileAccess | 'person'
  /**
   * What earlier commands left, the oldest layer first. Null for a program that must find none of it and no `.git`
   * either: a later command would run the hooks and settings that it wrote there.
   */
  readonly environment: readonly LayerId[] | null
  /** The places beside the project. Absent for none. */
  readonly places?: PlacesRequest
  /** The branch whose programs have one folder for throw-away files while any of them runs. Absent for one of its own. */
  readonly temporaryOf?: BranchId
  /**
   * `reused`: the owner opens the next view soon, so its folders stay for that. `once`: they go with the trial. `taken up`:
   * the trial goes on with what programs had written when the app was killed, and the folders go with it.
   */
  readonly lifetime: 'reused' | 'once' | 'taken up'
}

export interface TrialServices {
  readonly mounts: BranchMounts
  readonly blobs: BlobStore
  readonly hashing: Pick<Hashing, 'hash'>
  readonly search: FileScan
  /** Beside the project. */
  readonly foldersBeside: readonly FolderBeside[]
}

const gitFolder = '/.git' as VirtualPath
const nothingHidden: HiddenFiles = { paths: [], unsearched: [], replaced: [] }

/** With no repository of the project, and with none inside of it whose settings hold credentials. */
function withoutGit({ paths, replaced }: HiddenFiles): Pick<HiddenFiles, 'paths' | 'replaced'> {
  const folderOf = ({ path }: MountEntry) => /^.*?\/\.git(?=\/)/i.exec(path)?.[0] as VirtualPath | undefined
  const folders = new Set([gitFolder, ...replaced.flatMap((entry) => folderOf(entry) ?? [])])
  return { paths: [...paths, ...folders], replaced: replaced.filter((entry) => folderOf(entry) === undefined) }
}

/** Throws `BranchMountError`, and the abort reason. Nothing stays of a trial that could not be opened. */
export async function openTrial(services: TrialServices, request: TrialRequest, signal: AbortSignal): Promise<Trial> {
  const { mounts, blobs, foldersBeside } = services
  const { owner, branch, files = branch, access, environment, places, temporaryOf, lifetime } = request
  const hidden =
    access === 'person'
      ? nothingHidden
      : await findHiddenFiles({ access, branch, files, seesGit: environment !== null }, services)
  const shown = environment === null ? withoutGit(hidden) : hidden
  const { tree } = branch
  const shownFolders = await findShownFolders(foldersBeside, access)
  const overlay = withHidden(mountEntries(tree, blobs), shown)
  const takesUp = lifetime === 'taken up'
  const { paths: hiddenFiles } = hidden
  const { folders } = shownFolders
  const beside = {
    ...(places && { places }),
    ...(folders.length > 0 && { folders }),
    ...(temporaryOf !== undefined && { temporaryOf }),
  }
  const view = { owner, overlay, environment: environment ?? [], hiddenFiles, ...beside, takesUp }
  const remove = async () => {
    // What cannot be removed now goes with the next start of the app.
    if (lifetime !== 'reused') await mounts.remove(owner).catch(() => undefined)
  }
  const mount = await mounts.open(view, signal).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  const missing = { ...hidden, paths: [...hidden.paths, ...shownFolders.paths] }
  return trialOf(mount, { tree, hidden: missing, environment: view.environment }, remove)
}

/** A view of mounts that no project is behind, to try out the machine. There is nothing in it that could be hidden. */
export async function openProbe(
  mounts: BranchMounts,
  owner: string,
  signal: AbortSignal,
): Promise<MountView & AsyncDisposable> {
  return mounts.open({ owner, overlay: [] }, signal)
}

function trialOf(
  mount: BranchMount,
  opened: Pick<Trial, 'tree' | 'hidden' | 'environment'>,
  remove: () => Promise<void>,
): Trial {
  return {
    ...opened,
    view: mount,
    look: () => mount.look(),
    capture: (isWhole) => mount.capture(isWhole),
    drop: () => mount.dropCaptured(),
    async [Symbol.asyncDispose]() {
      await mount[Symbol.asyncDispose]()
      await remove()
    },
  }
}
