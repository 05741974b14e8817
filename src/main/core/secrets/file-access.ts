import type { VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * Access to files that a call did not name. Approval cannot be requested for them, so only what policy allows outright
 * is granted.
 */
export interface FileAccess {
  /** False when no setting protects any file. Folders then need not be searched for protected ones. */
  readonly protectsFiles: boolean
  /** True when reading needs no approval as far as the name goes. A false answer may be due to the name alone. */
  mayRead(path: VirtualPath): boolean
  /**
   * True when showing this content of the file needs no approval: what `isSecret` says of it, and the rules. A file whose
   * name is usual for secrets may be shown when nothing in it looks like one.
   */
  mayShow(path: VirtualPath, bytes: Uint8Array): boolean
  /** True when no setting and no rule keeps the file from being read, whatever it may hold. */
  mayReadByRules(path: VirtualPath): boolean
  /** True when changing needs no approval. */
  mayChange(path: VirtualPath): boolean
}
