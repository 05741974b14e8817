import type { BlobHash } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** What a checkout has at a path. Folders come and go with what is in them. */
export type CheckoutNode =
  | {
      readonly kind: 'file'
      /** SHA-256 of the content. */
      readonly blob: BlobHash
      readonly executable: boolean
    }
  | { readonly kind: 'symlink'; readonly target: string }

/** What a file of the branch is to be in the folder. Null for nothing. */
export type CheckoutContent =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: 'symlink'; readonly target: string }
  | null

/** A path at which a person left something else than what the folder and the branch had in common. */
export interface CheckoutChange {
  readonly path: VirtualPath
  /** What both had. Null for nothing. */
  readonly before: CheckoutNode | null
  readonly after: CheckoutContent
  /** What the path had when it was read. Only the folder understands it. */
  readonly stamp: string
}

export interface CheckoutLook {
  /** Sorted by path. A file that somebody is writing at this moment is left for the next look. */
  readonly changes: readonly CheckoutChange[]
  /** Paths that no branch can hold, with the reason: "it is …". */
  readonly uncarried: readonly { readonly path: string; readonly why: string }[]
}

/**
 * A real folder that stands for a branch, in which a person works with programs of their own. It remembers what the folder
 * and the branch had in common at each path, on disk as well, so that both sides can be told apart later.
 */
export interface CheckoutFolder {
  /**
   * What differs from what both had in common. `isLeftOut` says which new files and folders are not looked at. `hints` are
   * paths at which something may have changed; null for everything.
   */
  look(
    isLeftOut: (path: VirtualPath, isDirectory: boolean) => boolean,
    hints: ReadonlySet<VirtualPath> | null,
  ): Promise<CheckoutLook>
  /** The branch has this change by now, so both have in common what was seen. */
  agree(change: CheckoutChange): void
  /**
   * Makes the path what the branch has, unless a person changed it meanwhile: then nothing happens and the answer is false.
   * What a program writes into a file that it opened before is found by the next look.
   */
  put(path: VirtualPath, content: CheckoutContent): boolean
  /** What both have in common at a path. Null for nothing. */
  nodeAt(path: VirtualPath): CheckoutNode | null
  /** The paths at which both have something in common, in no order. */
  paths(): Iterable<VirtualPath>
  /** Whether both have something in common below a folder. */
  holds(folder: VirtualPath): boolean
  /** At most so many files that are not known, whatever leaves them out, besides those of `.git`. */
  strangers(most: number): readonly VirtualPath[]
  /** The text of a folder's `.gitignore`. Undefined for none. */
  readRules(folder: VirtualPath): string | undefined
  /** Writes down what is remembered. */
  save(): void
}
