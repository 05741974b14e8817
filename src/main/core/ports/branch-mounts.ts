import type { MountEntry } from '#overlay'
import { defineError } from '#shared/base/define-error.ts'
import type { MadeCommit } from '#shared/model/calls/outcome.ts'
import type { LayerId } from '#shared/model/ids.ts'
import type { FilePermissions } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** How a mount differs from the base: the branch's overlay, ready to be written. */
export type { MountEntry } from '#overlay'

export type MountChange =
  | ({ readonly kind: 'file'; readonly path: VirtualPath; readonly bytes: Uint8Array } & FilePermissions)
  /** A file too large to be taken, with the content that `from` had when the mount was opened. */
  | ({ readonly kind: 'large'; readonly path: VirtualPath; readonly from: VirtualPath } & FilePermissions)
  | { readonly kind: 'symlink'; readonly path: VirtualPath; readonly target: string }
  | { readonly kind: 'directory'; readonly path: VirtualPath }
  | { readonly kind: 'absent'; readonly path: VirtualPath }

/**
 * A folder of the app that programs find beside the project, such as the inputs. It holds files and folders; links and
 * executable files do not belong there.
 */
export interface PlaceRequest {
  /** Where the file tools have it, such as `/inputs`: one name below the root. */
  readonly path: VirtualPath
  /** The usual name of the place, such as `inputs`. A project that has this name itself changes only the path. */
  readonly name: string
  /** False for a place that programs may only read. */
  readonly writable: boolean
  /** Sorted by path. */
  readonly files: readonly PlaceFile[]
}

export interface PlaceFile {
  /** Below the place's path. */
  readonly path: VirtualPath
  /** Equal for equal bytes of one path. Bytes that were already written are not read again. */
  readonly content: string
  /** In bytes. */
  readonly size: number
  /** Null when the content cannot be read. */
  readonly read: () => Uint8Array | null
}

/** A place as programs find it. */
export interface MountPlace extends Pick<PlaceRequest, 'path' | 'name' | 'writable'> {
  /** Absolute path of its folder, for a program started through `enter`. */
  readonly folder: string
}

/** A real folder of the person, outside of the project, that programs may read and never write. */
export interface ShownFolder {
  /** Where the file tools have it, such as `/refs/lib`. */
  readonly path: VirtualPath
  /** For its variable. */
  readonly name: string
  /** Absolute, with links resolved. Programs find it there, and under `path` where the system can show that. */
  readonly folder: string
  /** Files in it that no program sees, as paths below the folder, such as `/a/.env`. Sorted. */
  readonly hidden: readonly VirtualPath[]
}

/** The variable that names a place for commands. It is always set. `name` is the usual name, such as `inputs`. */
export function placeVariable(name: string): string {
  return `COPPICE_${name.toUpperCase()}`
}

/** The variable that names the view of a folder of the project beside the first one. */
export function folderVariable(name: string): string {
  return `COPPICE_FOLDER_${variablePart(name)}`
}

/** The variable that names the home of such a view, where what moved out of the way in it is. */
export function homeVariable(name: string): string {
  return `COPPICE_HOME_${variablePart(name)}`
}

function variablePart(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
}

export type PlaceChange =
  | { readonly kind: 'file'; readonly path: VirtualPath; readonly bytes: Uint8Array }
  | { readonly kind: 'absent'; readonly path: VirtualPath }
  /** Something that no place can hold. It is gone. `why` completes "it is …". */
  | { readonly kind: 'refused'; readonly path: string; readonly why: string }

/** The places beside one mount. */
export interface PlacesRequest {
  /** Usually the id of a branch. Mounts with the same places open one at a time and share the written files. */
  readonly owner: string
  /** Every place that programs find. */
  readonly places: readonly PlaceRequest[]
  /**
   * True when nothing else keeps programs from writing to places that they may only read. The mount then does, if the
   * system can. Changes there are refused in any case.
   */
  readonly sealed: boolean
}

export interface MountRequest {
  /** Usually the id of a branch. Mounts of one owner open one at a time. */
  readonly owner: string
  /** Sorted by path, so that folders come before their content. */
  readonly overlay: readonly MountEntry[]
  /**
   * What earlier commands left in ignored files, in `.git` and in their home, the oldest layer first. Absent for
   * nothing.
   */
  readonly environment?: readonly LayerId[]
  /**
   * Absent entries of the overlay that are only hidden. Git in the mount is told that they are not looked for, so that it
   * neither shows nor commits that they are gone. Absent for none.
   */
  readonly hiddenFiles?: readonly VirtualPath[]
  /** Absent for none. */
  readonly places?: PlacesRequest
  /** Real folders that programs may read. Absent for none. */
  readonly folders?: readonly ShownFolder[]
  /**
   * Mounts of the same name have one folder for throw-away files, with sockets in it, from the first of them that opens
   * until the last one closes. Absent for a folder of the mount's own.
   */
  readonly temporaryOf?: string
  /**
   * True to go on with what programs left in the owner's last mount when the app was killed, so that it can be captured.
   * Throws `BranchMountError` when nothing of it is there.
   */
  readonly takesUp?: boolean
}

/** A link that a program made and that leads out of the project. It is not kept. */
export interface RefusedLink {
  readonly path: VirtualPath
  readonly target: string
}

/** A change that is not in a patch, and is lost with the mount, if `why` does not say otherwise. */
export interface NotKept {
  /** As a person sees it: bytes that are not UTF-8 stand as `\\xff`. */
  readonly path: string
  /** In bytes. 0 where it means nothing. */
  readonly size: number
  /**
   * `too_large`: the file alone is. `too_much`: everything together is, and this was among the largest. `only_copy`: it
   * was removed or replaced, but its content may be in a file that was left out, so it is as it was. `name`: not UTF-8. `special`:
   * no file, folder or link. `too_deep`: its path, and those of all below it, are longer or go down further than a path may. `beside`: the
   * user saved the file while the programs ran, after they had written it. `folder_mode`: only the permissions of a folder,
   * which later mounts with the same environment show.
   * `other_folder`: something in the project's own folder whose path is that of another folder of the project.
   */
  readonly why:
    | 'too_large'
    | 'too_much'
    | 'only_copy'
    | 'name'
    | 'special'
    | 'too_deep'
    | 'beside'
    | 'folder_mode'
    | 'other_folder'
  /** Where commands find their version of a file, from their home on. Null or absent for nowhere. */
  readonly keptAs?: string | null
}

/** A path outside the patch that later programs will find changed: an ignored file, one in a `.git`, or one in their home. */
export interface LeftFile {
  /** As `NotKept` has it. That of their home begins with `~/`. A folder whose content was replaced ends with a slash. */
  readonly path: string
  readonly isGone: boolean
  /** True for a file that may be run. */
  readonly isProgram: boolean
}

export interface MountCapture {
  /** All differences from the branch that the mount was opened with, sorted by path. */
  readonly changes: readonly MountChange[]
  /** Number of changed files that are ignored by `.gitignore` or in `.git`. */
  readonly ignoredChanges: number
  /**
   * The layers that the next mount of the branch must be given to find the same. They are files of their own, which no
   * later mount changes. Layers that the request had and this lacks could not be shown.
   */
  readonly environment: readonly LayerId[]
  /** The layers at its end that this capture made of what programs left. Absent for none. */
  readonly added?: readonly LayerId[]
  /** What is in those layers and was not there before, in no order. Absent for nothing. */
  readonly left?: readonly LeftFile[]
  /** Why what programs left could not be kept, as a sentence for a person. Absent when it was, or nothing was left. */
  readonly unkept?: string
  /** What programs changed in the places, sorted by path. Includes places that they may only read. */
  readonly placeChanges: readonly PlaceChange[]
  /** Absent for none. They are not in `changes`. */
  readonly refusedLinks?: readonly RefusedLink[]
  /** Absent for none. They are not in `changes`. */
  readonly notKept?: readonly NotKept[]
}

/** What programs changed in files of the project so far. */
export type MountLook = Pick<MountCapture, 'changes' | 'refusedLinks' | 'notKept'>

/**
 * Why layers are not there: `dropped` on purpose, to keep the disk small, made for `other_kind` of mounts than this system
 * has now, or `damaged` by something else.
 */
export type MissingLayers = 'dropped' | 'other_kind' | 'damaged'

/** A path at which two sides left something else. One is shown there; that of the environment moved away. */
export interface Evicted {
  /** A reference of git is named by its file, such as `/.git/refs/heads/main`. */
  readonly path: VirtualPath
  /**
   * Why it moved: the `disk` changed there later, the `branch` did, `commands` did while a process was running that left
   * it, or no ignore `rules` name the path any more. A reference that is `pruned` did not move: the person's repository has lost
   * objects that it needs.
   */
  readonly why: 'disk' | 'branch' | 'commands' | 'rules' | 'pruned'
  /**
   * Where the version of the environment is now: a path in the home of commands, beginning with `~/`, or a reference of
   * git, beginning with `refs/`. Null for a removal, since there is nothing to keep, and for a reference that did not move.
   */
  readonly keptAs: string | null
}

export interface LayersJoin {
  /** The list over which `own` were made. */
  readonly start: readonly LayerId[]
  /** The layers to put on top, the oldest first. */
  readonly own: readonly LayerId[]
  /** What became of the list `start` meanwhile. */
  readonly onto: readonly LayerId[]
}

export interface JoinedLayerList {
  /** The oldest first. */
  readonly layers: readonly LayerId[]
  /** What of `own` is shown elsewhere, sorted by path. */
  readonly evicted: readonly Evicted[]
}

/** A layer on disk. */
export interface LayerUsage {
  readonly id: LayerId
  /** On disk. Layers that share a file share its bytes. */
  readonly bytes: number
  /** When a mount last showed it, in milliseconds since the Unix epoch. */
  readonly usedAt: number
}

/** The view of a folder of the project beside the first one. */
export interface OtherView {
  /** Where the file tools have it, such as `/lib`. */
  readonly path: VirtualPath
  readonly name: string
  /** Absolute path of the person's folder. Programs find the view there where the system can show that. */
  readonly real: string | null
  /** Absolute path of the view, for a program started through `enter`. */
  readonly folder: string
  /** Where what moved out of the way in it is. */
  readonly home: string
}

/** What runs programs in a mount must know of it. The paths mean something to a program started through `enter`. */
export interface MountView {
  /**
   * Absolute path of the files, for a program started through `enter`. Other processes may see an empty folder there.
   */
  readonly folder: string
  /** Absolute path of a home folder for programs, outside `folder`. */
  readonly home: string
  /** A folder for throw-away files, beside `home` and outside `folder`. */
  readonly temporary: string
  /** In the order of the request. */
  readonly places: readonly MountPlace[]
  /** The project's other folders. Absent for none. */
  readonly others?: readonly OtherView[]
  /** In the order of the request. Absent for none. */
  readonly folders?: readonly ShownFolder[]
  /** Absolute paths outside of the mount that its files lead to, and that programs may only read. Absent for none. */
  readonly readable?: readonly string[]
  /** Files that are not in the places, because they are too many or too large, or no file can have their name. */
  readonly leftOut: readonly VirtualPath[]
  /** What the environment has and this mount does not show in its place, sorted by path. Everything else is shown. */
  readonly evicted: readonly Evicted[]
  /** How many files of other users and groups programs can only read, whatever the person may. Absent for none. */
  readonly readOnlyFiles?: number
  /** How many folders of other users and groups programs cannot list, whatever the person may. Absent for none. */
  readonly closedFolders?: number
  /** What nobody knows of the repository, as sentences for a person. Null or absent for nothing. */
  readonly problem?: string | null
  /** Why the mount shows less of the environment than was asked for. Null when no layer is missing. */
  readonly missing: MissingLayers | null
  /**
   * The command line that runs a program in the mount, with file descriptors and environment passed on. The program has
   * the person's own uid. A `confined` one is a sandbox. If the app runs as root, its mount is ready for a second user,
   * as whom the sandbox runs what is in it.
   */
  enter(program: readonly string[], confined?: boolean): readonly string[]
}

/** A branch as real files, for programs. Programs can never write to the user's own folder through it. */
export interface BranchMount extends MountView, AsyncDisposable {
  /**
   * What programs changed so far, while they may still run. It ends nothing, keeps no layer, and a later capture finds the
   * same as without it. Programs go on meanwhile, so it may mix two moments. Files that are too large to be taken are
   * named, as far as that shows without reading them. Call it before the capture. Null where the system has no safe way to read what programs may be replacing
   * by links.
   */
  look(): Promise<MountLook | null>
  /**
   * Call once, after every program has ended. Changes without a capture are dropped. `keeps` is false for a program that
   * was cut off: what it left in ignored files and in its home is dropped then.
   */
  capture(keeps?: boolean): Promise<MountCapture>
  /** Call when no entry will name the layers of the capture. The ones that it made go when the mount closes. */
  dropCaptured(): void
}

/** A repository that commands made inside the project. */
export interface MadeRepository {
  readonly folder: VirtualPath
  /** Its `.git` without what could run a program: hooks, and settings other than the usual ones. */
  files(): readonly { readonly path: VirtualPath; readonly bytes: Uint8Array }[]
}

/** How mounts are made: always by the cheapest means that the system has. */
export interface MountStrategy {
  /** `overlay` mounts, `clone` shares blocks of the file system, `copy` copies every byte. */
  readonly kind: 'overlay' | 'clone' | 'copy'
  /** One sentence for a person: why these means were chosen. */
  readonly reason: string
}

/** Makes mounts of branches. Each shows the given state, whatever an earlier one held. The layers outlive the process. */
export interface BranchMounts extends AsyncDisposable {
  /** Waits while another mount of the same owner is open. Throws `BranchMountError`, and the abort reason. */
  open(request: MountRequest, signal: AbortSignal): Promise<BranchMount>
  /**
   * Those of these project files that the last commit of the repository has with the same bytes, so that git in a mount
   * shows them anyway. Empty where mounts have no repository. At most one process, and none for no file.
   */
  findCommitted(files: ReadonlyMap<VirtualPath, Uint8Array>): Promise<ReadonlySet<VirtualPath>>
  /**
   * Puts layers on top of a list that grew meanwhile, as those of a process that ran beside commands. What only one of
   * them left at a path or a reference stays. Where both left something, that of `onto` is shown, and the other one moves.
   * The layers of both stay as they are. Throws `BranchMountError`.
   */
  joinLayers(join: LayersJoin): Promise<JoinedLayerList>
  /**
   * The commits and stashes that a mount with these layers has, and that neither the person's repositories nor a mount with
   * the `known` layers have. Reads only files and runs at most two short processes for each repository, none where commands
   * wrote to none since then.
   */
  findCommits(layers: readonly LayerId[], known?: readonly LayerId[]): Promise<readonly MadeCommit[]>
  /**
   * Absolute paths of the folders in which a mount with these layers finds objects of git of the repository with this folder of
   * files, the person's own included. Runs no process.
   */
  findObjects(layers: readonly LayerId[], repository: VirtualPath): Promise<readonly string[]>
  /** The repositories that commands with these layers made in folders that are none in the project. Runs no process. */
  findRepositories(layers: readonly LayerId[]): Promise<readonly MadeRepository[]>
  /** Removes the folders of an owner of mounts or places, once its mounts are closed. */
  remove(owner: string): Promise<void>
  /** How many of these layers a mount could show now, from the first to one that is missing. */
  countShowable(layers: readonly LayerId[]): Promise<number>
  /** Size and last use of every layer. */
  layerUsage(): Promise<readonly LayerUsage[]>
  /**
   * Removes layers that entries still name. A later mount that is given one says so. Layers of mounts that are open stay.
   */
  dropLayers(dropped: ReadonlySet<LayerId>): Promise<void>
  /** Removes all layers except these. Layers of mounts that are open stay too. */
  keepLayers(used: ReadonlySet<LayerId>): Promise<void>
  /** Tries the system once, on the first call. Later calls return the same answer. */
  findStrategy(): Promise<MountStrategy>
  /** Bytes on disk of all folders and layers, and of the layers that are not among `used`. */
  storedBytes(used: ReadonlySet<LayerId>): Promise<{ readonly bytes: number; readonly unused: number }>
}

export const BranchMountError = defineError<'no_space' | 'failed'>('BranchMountError')
export type BranchMountError = InstanceType<typeof BranchMountError>
