import type { VirtualPath } from './virtual-path.ts'

/** What happened to the file on disk; `appeared` when there was none before. */
export const driftKinds = ['changed', 'appeared', 'deleted', 'folder', 'link', 'special', 'unreadable'] as const
export type DriftKind = (typeof driftKinds)[number]

/**
 * A file that changed on disk since an agent read or changed it. Drift is never stored, because the disk can change
 * again while the app is closed.
 */
export interface Drift {
  readonly path: VirtualPath
  readonly kind: DriftKind
  /** `changed`: the branch holds its own version. `read`: the branch shows the disk, whose content is now different. */
  readonly since: 'read' | 'changed'
  /** Fingerprint of what the disk holds now; equal fingerprints mean equal content. */
  readonly disk: string
}

/** What a thread knows about the disk below one file, as fingerprints. */
export interface DiskNote {
  /** The version that the agent was last told about. */
  readonly announced: string
  /** The disk version that existed when the agent read its own file. Edits are refused until it is up to date. */
  readonly read: string | null
}
