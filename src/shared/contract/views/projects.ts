import type { ProjectId, ThreadId } from '../../model/ids.ts'
import type { VirtualPath } from '../../model/virtual-path.ts'

export interface RecentProject {
  /** Absolute path on the host. */
  readonly path: string
  readonly name: string
  /** Milliseconds since the Unix epoch. */
  readonly openedAt: number
  /** Missing for a project that was never closed with this version. */
  readonly summary?: ProjectSummary | undefined
  /** The branch that git had checked out when the project was last open; null without git. */
  readonly gitHead?: string | null | undefined
}

/** A project in a few words: as it is now when it is open, else as it was when it was closed. */
export interface ProjectSummary {
  /** The title of the thread that was worked on last; null when there is none. */
  readonly lastTask: string | null
  /** Questions to the person. */
  readonly waiting: number
  /** Agents that work or wait for their turn. */
  readonly working: number
  /** US dollars that the threads of the last seven days have cost in all; null when a price is unknown. */
  readonly costOfWeek: number | null
}

export interface ProjectInfo {
  /** Stays the same when the folder is opened again. */
  readonly id: ProjectId
  /** Absolute path on the host; empty for a scratch project. */
  readonly path: string
  readonly name: string
  /** `scratch` has no folder on disk, so nothing can be applied. */
  readonly kind: 'folder' | 'demo' | 'scratch'
  /** True when the folder holds a git repository. */
  readonly git: boolean
  /** The checked-out branch, or a short commit id. Null or absent without a repository. */
  readonly gitHead?: string | null | undefined
  /** The repository that the folder is only a part of, so that git in views does not see it. Absent for none. */
  readonly within?: { readonly top: string; readonly folder: VirtualPath } | undefined
  /** False keeps the project's own settings, agents and servers from being loaded. */
  readonly trusted: boolean
  /** The files that would load if the folder were trusted, as paths below it. */
  readonly wouldLoad: readonly string[]
  /** Set when its database was damaged on opening and a new one was started; null otherwise. */
  readonly damage: ProjectDamage | null
}

/** The folders of a project, with those that its settings ask for. */
export interface ProjectFolders {
  /** The project's own first, then those that branches change, then those that are only read. */
  readonly folders: readonly ProjectFolder[]
  readonly proposed: readonly { readonly name: string; readonly path: string; readonly access: 'read' | 'write' }[]
}

export interface ProjectFolder {
  /** Where agents have it: `/`, or a path such as `/lib` or `/refs/lib`. */
  readonly root: VirtualPath
  /** Absolute path on the host. */
  readonly path: string
  readonly access: 'read' | 'write'
  /** True when nothing is on disk at its path. */
  readonly isGone: boolean
  /** True for one that can be taken away: it is only read, and the person's settings name it for this project. */
  readonly isRemovable: boolean
}

export interface ProjectDamage {
  /** Absolute path of the damaged file. */
  readonly keptAs: string
  /** Time of the last backup in milliseconds since the Unix epoch; null when there is none. */
  readonly backupAt: number | null
}

export interface FolderEntry {
  readonly name: string
  /** Absolute path on the host. */
  readonly path: string
}

/** A page of the host's folders, for the folder picker of the web shell. */
export interface FolderPage {
  /** Absolute path on the host. */
  readonly path: string
  /** Null at the root of a drive. */
  readonly parent: string | null
  /** Sorted by name; hidden folders are left out. */
  readonly folders: readonly FolderEntry[]
}

export const storageKinds = ['journal', 'contents', 'views', 'backups', 'damaged'] as const

export type StorageKind = (typeof storageKinds)[number]

export interface StoragePart {
  readonly kind: StorageKind
  /** On disk, compressed as they are stored. */
  readonly bytes: number
  /** The most bytes that *Clean up* can free. */
  readonly removable: number
}

/** The data that the open project keeps on this machine. */
export interface StorageView {
  /** Absolute path of the project's data, outside the project. */
  readonly folder: string
  /** One for each kind, in the order of `storageKinds`. */
  readonly parts: readonly StoragePart[]
  /** What commands of each thread left in ignored files and in their home, the largest first. It is a part of `views`. */
  readonly environments: readonly EnvironmentUsage[]
  /** What the setup of the project left, which environments begin with. It is a part of `views`. Null for nothing. */
  readonly setup: SetupUsage | null
}

export interface SetupUsage {
  /** On disk. */
  readonly bytes: number
  /** When a command last found it, in milliseconds since the Unix epoch. */
  readonly usedAt: number
}

/** What commands of a thread and its subagents left. */
export interface EnvironmentUsage {
  readonly threadId: ThreadId
  readonly title: string
  /** On disk. What two threads share counts for both. */
  readonly bytes: number
  /** The bytes that no other thread uses. */
  readonly removable: number
  /** When a command last found it, in milliseconds since the Unix epoch. */
  readonly usedAt: number
}

export interface Freed {
  /** In bytes. */
  readonly freed: number
}

/** A project that takes a while to open, because its whole history is read, as after some updates. */
export interface OpeningProject {
  readonly name: string
  /** Root threads that were looked into, and how many there are. */
  readonly done: number
  readonly total: number
}
