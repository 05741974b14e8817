import type { Drift, DriftKind } from '#shared/model/drift.ts'

const marks: Record<DriftKind, string> = {
  changed: 'Changed on disk',
  appeared: 'Also made on disk',
  deleted: 'Deleted on disk',
  folder: 'A folder on disk',
  link: 'A link on disk',
  special: 'No regular file on disk',
  unreadable: 'Unreadable on disk',
}

export const driftStrings = {
  mark: marks,
  title: ({ kind, since }: Drift) => `${marks[kind]} after the agent ${since === 'read' ? 'read' : 'changed'} it`,
  detail: {
    changed:
      'The workspace keeps the agent’s version until you decide. The agent must read it again before it edits it.',
    read: 'The agent is told, and must read it again before it edits it.',
  },
  compare: 'Compare',
  join: 'Join both',
  takeDisk: 'Take the disk’s version',
  tookDisk: (path: string) => `${path} is as it is on disk`,
  joined: (path: string) => `Joined ${path} with the disk`,
  onDisk: 'on disk',
  back: 'Back to the changes',
} as const
