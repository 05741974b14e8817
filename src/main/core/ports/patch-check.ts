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
  ): Promise<{ readonly ran: boolean; readonly ok: boolean; readonly message: string }>
}
