import type { ReactNode } from 'react'
import type { ConflictSides, ConflictVersion } from '#shared/contract/views/branches.ts'
import { formatBytes } from '#shared/text/format.ts'
import { conflictStrings } from '../../strings/later/conflicts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = conflictStrings

interface ConflictVersionsProps {
  readonly sides: ConflictSides
  readonly oursBy: string
  readonly other: string
  readonly busy: boolean
  readonly onTake: (side: 'ours' | 'theirs') => Promise<void>
}

/** Both sides of a conflict that lines cannot settle, each with the button that takes it as it is. */
export function ConflictVersions({ sides, oursBy, other, busy, onTake }: ConflictVersionsProps): ReactNode {
  const { versions } = sides
  const [ours, theirs] = [versions?.ours ?? null, versions?.theirs ?? null]
  const one = (
    side: 'ours' | 'theirs',
    title: string,
    version: ConflictVersion | null,
    rival: ConflictVersion | null,
  ) => (
    <li className="flex min-w-0 flex-wrap items-center gap-2 rounded-md border border-line bg-raised px-3 py-2">
      <span className="min-w-0 flex-1 basis-40">
        <span className="block font-medium">
          <VisibleText text={title} />
        </span>
        <span className="block text-muted text-xs [overflow-wrap:anywhere]">{describe(version)}</span>
      </span>
      <Button disabled={busy} onClick={() => void onTake(side)}>
        {actionLabel(side, version, rival)}
      </Button>
    </li>
  )
  return (
    <ul className="grid @xl:grid-cols-2 gap-2">
      {one('ours', labels.ours(oursBy), ours, theirs)}
      {one('theirs', labels.theirs(other), theirs, ours)}
    </ul>
  )
}

function actionLabel(side: 'ours' | 'theirs', version: ConflictVersion | null, rival: ConflictVersion | null): string {
  if (version === null) return labels.deleteFile
  return rival === null ? labels.keepFile : labels.takeWhole[side]
}

function describe(version: ConflictVersion | null): string {
  if (version === null) return labels.deleted
  const { kind, size, executable, permissions, identity } = version
  if (kind === 'symlink') return labels.linkTo(identity ?? '')
  if (kind === 'directory') return labels.folder
  return [
    formatBytes(size),
    executable ? labels.executable : labels.notExecutable,
    permissions && labels.permissions(permissions),
    identity && labels.hash(identity.slice(0, 12)),
  ]
    .filter(Boolean)
    .join(' · ')
}
