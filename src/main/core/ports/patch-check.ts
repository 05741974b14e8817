export interface CheckedFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode: '100644' | '100755' | '120000'
}

/** Asks a real git, when there is one, to apply a patch to these base files in a fresh repository, and looks at what it made. */
export interface PatchCheck {
  /** `ok` when git takes the patch and exactly the wanted files come out. */
  check(
    patch: Uint8Array,
    base: readonly CheckedFile[],
    wanted: readonly CheckedFile[],
  ): Promise<{ readonly ran: boolean; readonly ok: boolean; readonly message: string }>
}
