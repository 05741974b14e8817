import type { GitAttributes, ObjectFormat } from '#overlay'

export type { ObjectFormat }

export interface CheckedFile {
  /** Relative to the root, with `/` between the names. */
  readonly path: string
  /** The content, or the target of a link. */
  readonly bytes: Uint8Array
  /** Git's mode: a file, an executable file or a link. */
  readonly mode: '100644' | '100755' | '120000'
}

/** Lets a real git, if installed, apply a patch to the base files in a fresh repository, and compares the result. */
export interface PatchCheck {
  /** `ok` when git accepts the patch and makes exactly the wanted files. `ran` is false when git is not installed. */
  check(
    patch: Uint8Array,
    base: readonly CheckedFile[],
    wanted: readonly CheckedFile[],
    /** Of the object ids in the patch. Absent for SHA-1. */
    objectFormat?: ObjectFormat,
  ): Promise<{ readonly ran: boolean; readonly ok: boolean; readonly message: string }>
}

/** A file on one side of a patch, as the project's folder has it. */
export interface WorkingFile extends CheckedFile {
  /** Of a file that is too large to be read, whose `bytes` only stand for its content. Absent for all others. */
  readonly large?: { readonly sha256: string; readonly size: number }
  /** The path that it had before. Absent for a file that did not move. */
  readonly renamedFrom?: string
}

/** Both sides of a patch, with what decides how git stores them. All paths are relative to the project. */
export interface WorkingFiles {
  /** The folder of the repository that the patch is for, relative to the project: empty for the one around the project. */
  readonly repository: string
  readonly before: readonly WorkingFile[]
  readonly after: readonly WorkingFile[]
  readonly attributes: GitAttributes
}

/**
 * A file as git stores it. `pointer`: git LFS keeps the content elsewhere. `refused` says why nobody can tell, as a
 * sentence.
 */
export type StoredFile =
  | (Pick<CheckedFile, 'mode' | 'bytes'> & { readonly kind: 'content' | 'pointer' })
  | { readonly kind: 'refused'; readonly why: string }

/** How a path of the folder differs from the last commit. */
export type Uncommitted = 'modified' | 'untracked' | 'staged' | 'deleted' | 'unmerged'

/** The files as git stores them, by path relative to the project. A file that is stored as it is, is missing. */
export interface StoredFiles {
  readonly before: ReadonlyMap<string, StoredFile>
  readonly after: ReadonlyMap<string, StoredFile>
  /** Of the project below the top of the repository: empty, or a path that ends with a slash. */
  readonly prefix: string
  /** Of the repository's object ids, which git compares in patches of binary files. */
  readonly objectFormat: ObjectFormat
  /** What the patch stands on that is in no commit. Null before the first commit. */
  readonly uncommitted: ReadonlyMap<string, Uncommitted> | null
  /** Why git cannot read the index, in its words, so that nothing is known of what is committed. Null when it can. */
  readonly problem: string | null
}

/** Knows how git stores files of the project. It writes nothing into a repository. */
export interface GitStorage {
  /** The folders above these paths that are repositories of their own, such as submodules. Without the project itself. */
  innerRepositories(paths: readonly string[]): Promise<ReadonlySet<string>>
  /** Null where there is no repository, or no git. */
  store(working: WorkingFiles): Promise<StoredFiles | null>
}
