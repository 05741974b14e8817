import type { VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * Access to files that a call did not name. Approval cannot be requested for them, so only what policy allows outright
 * is granted.
 */
export interface FileAccess {
  /** False when no setting protects any file. Folders then need not be searched for protected ones. */
  readonly protectsFiles: boolean
  /** True when reading needs no approval. */
  mayRead(path: VirtualPath): boolean
  /**
   * True when showing this content of the file needs no approval. A key or token in it counts whatever the file's name
   * is, and settings without any are harmless although their name is that of a secret file.
   */
  mayShow(path: VirtualPath, bytes: Uint8Array): boolean
  /** True when no setting and no rule keeps the file from being read, whatever it may hold. */
  mayReadByRules(path: VirtualPath): boolean
  /** True when changing needs no approval. */
  mayChange(path: VirtualPath): boolean
}
