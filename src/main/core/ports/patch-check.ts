/** Asks a real git, when there is one, whether it takes a patch against these base files in a fresh repository. */
export interface PatchCheck {
  check(
    patch: Uint8Array,
    base: readonly {
      readonly path: string
      readonly bytes: Uint8Array
      readonly mode: '100644' | '100755' | '120000'
    }[],
  ): Promise<{ readonly ran: boolean; readonly ok: boolean; readonly message: string }>
}
