import type { VirtualPath } from './virtual-path.ts'

/** What became of the file on disk; `appeared` where there was nothing before. */
export const driftKinds = ['changed', 'appeared', 'deleted', 'folder', 'link', 'special', 'unreadable'] as const
export type DriftKind = (typeof driftKinds)[number]

/**
 * A file that moved on disk since an agent read or changed it. It is a fact of now, compared with what is stored, and
 * never stored itself: the disk can go on changing while the app is closed.
 */
export interface Drift {
  readonly path: VirtualPath
  readonly kind: DriftKind
  /** `changed`: the branch holds a version of its own. `read`: it shows the disk, which says something else now. */
  readonly since: 'read' | 'changed'
  /** Names what the disk holds now: the same name means the same content. */
  readonly disk: string
}

/** What a thread knows of the disk under one file, as names of what the disk held. */
export interface DiskNote {
  /** The version the agent was last told of. */
  readonly told: string
  /** The version the agent read its own file beside; until then an edit is refused. */
  readonly read: string | null
}
