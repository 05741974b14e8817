import { defineError } from '#shared/base/define-error.ts'
import type { GitStorage, ObjectFormat } from './git-storage.ts'

/** Where a delivery is wanted. */
export interface DeliveryPlace {
  /** The folder of the repository, relative to the project: empty for the one around the project. */
  readonly repository: string
  /** As a person names it: `feature/x`. */
  readonly branch: string
  /** A revision to stand on, as a person names it. Null for the branch itself, or where the work began. */
  readonly base: string | null
  /** The commit that the person's folder was at when the work began. Null when that is not known. */
  readonly began: string | null
}

/** What a delivery meets in the person's repository. Commits are object ids in full. */
export interface DeliveryGround {
  /** Absolute path of the repository's top. */
  readonly top: string
  /** Of the project below the top: empty, or a path that ends with a slash. */
  readonly prefix: string
  readonly objectFormat: ObjectFormat
  /** The name of the branch, without `refs/heads/`. */
  readonly branch: string
  /** The commit that the branch is at. Null for a branch that does not exist. */
  readonly tip: string | null
  /** The commit that the first one stands on. */
  readonly base: string
  /** Who commits, by the person's own settings: `Name <address>`. */
  readonly author: string
  /** Whether the person's settings ask for signed commits. */
  readonly signs: boolean
  /** What a person must know before, as whole sentences. */
  readonly notes: readonly string[]
}

/** A path of a commit. Other repositories have a mode of their own. */
export interface CommittedFile {
  /** In octal, as git prints it. */
  readonly mode: string
  readonly id: string
}

/** A file as git stores it. The bytes are missing where the repository has the object, or nobody has read it yet. */
export interface FileVersion extends CommittedFile {
  readonly bytes?: Uint8Array | undefined
}

/** A commit to make. Paths are relative to the top of the repository. */
export interface PlannedCommit {
  readonly message: string
  /** What differs from the commit before it. Null for a file that is gone. */
  readonly files: ReadonlyMap<string, FileVersion | null>
}

/**
 * Why nothing was delivered, and what a person can do next. `not_found`: something that they named does not exist. `invalid`:
 * it makes no sense. `refused`: git does not allow it. `conflict`: somebody moved the branch meanwhile.
 */
export const DeliveryError = defineError<'not_found' | 'invalid' | 'refused' | 'conflict'>('DeliveryError')
export type DeliveryError = InstanceType<typeof DeliveryError>

/**
 * Makes commits in the person's own repository. It adds objects and moves one branch, and touches nothing else: no HEAD, index,
 * worktree, stash, setting or hook. All methods throw `DeliveryError`.
 */
export interface GitDelivery {
  /** The repository of a folder of the project: empty for the one around the project. */
  find(repository: string): Pick<DeliveryGround, 'top' | 'prefix'>
  /** Dispose of it when the delivery is made, or not made. */
  open(place: DeliveryPlace): Promise<OpenDelivery>
  /** Moves a branch back, or removes it where `to` is null, if it is still at `from` and nobody has it checked out. */
  withdraw(moved: {
    readonly repository: string
    readonly branch: string
    readonly from: string
    readonly to: string | null
  }): Promise<void>
}

/** One delivery on its way. What git says of the repository's settings and commits is asked once. */
export interface OpenDelivery extends Disposable {
  readonly ground: DeliveryGround
  /** How the repository stores files. */
  readonly storage: GitStorage
  /** Whether a commit is another one, or in its history. */
  hasCommit(commit: string, earlier: string): Promise<boolean>
  /** What a commit has at these paths, which are relative to the top. A path without a file is missing. */
  filesAt(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, CommittedFile>>
  /**
   * What a commit has where no file of these paths can be beside it: all files below a path that is a folder there, and a file where
   * a path needs a folder. A path that nothing hinders is missing.
   */
  filesInTheWay(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** The contents of these objects. One that a partial clone has not fetched is missing. */
  contentsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  /** Commits as `git fast-import` reads them, one above the other. The last one is `refs/coppice/delivery` there. */
  streamOf(commits: readonly PlannedCommit[]): Promise<Uint8Array>
  /** Where settings say that the hooks are, as written there. Null for the usual place. */
  hooksFolder(): Promise<string | null>
  /** Makes the commits one above the other, and then moves the branch to the last one, as a whole or not at all. */
  deliver(
    commits: readonly PlannedCommit[],
    options: { readonly sign: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<readonly string[]>
  /**
   * Brings a commit that agents made into the repository, as it is, with all that it needs, and moves the branch there. The branch
   * must be new, or a part of the commit's history. `objects` are the folders that have it. Returns the commits that the repository
   * had not, the oldest first.
   */
  deliverMade(commit: string, objects: readonly string[]): Promise<readonly string[]>
}
