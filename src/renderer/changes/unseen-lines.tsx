import { EyeOff } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { unseenStrings as labels } from '../strings/later/unseen.ts'
import { Button } from '../ui/controls/button.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { LineCounts } from '../ui/diff/diff-parts.tsx'
import { useViewed } from './review/marks/viewed.ts'

interface UnseenLinesProps {
  readonly branchId: BranchId
  /** The files that are about to leave the workspace; null for all. */
  readonly paths: readonly VirtualPath[] | null
}

/** Says how much of what is about to leave the workspace nobody has looked at. Nothing when all is marked as viewed. */
export function UnseenLines({ branchId, paths }: UnseenLinesProps): ReactNode {
  const projectId = useProjectId()
  const changes = useApp((state) => state.changes) ?? none
  const viewed = useViewed(`coppice-viewed ${projectId} ${branchId}`, changes)
  const [isOpen, setOpen] = useState(false)
  const list = useId()
  const leaving = paths === null ? changes : changes.filter(({ path }) => paths.includes(path))
  const unseen = leaving.filter(({ path }) => !viewed.paths.has(path))
  if (unseen.length === 0) return null
  return (
    <section aria-label={labels.title} className="rounded-md border border-line px-3 py-1.5">
      <div className="flex items-center gap-2">
        <EyeOff size={14} aria-hidden className="shrink-0 text-warn" />
        <p className="min-w-0 flex-1" title={labels.hint}>
          {labels.unseen(linesOf(unseen), linesOf(leaving), unseen.length)}
        </p>
        <Button tone="quiet" aria-expanded={isOpen} aria-controls={list} onClick={() => setOpen(!isOpen)}>
          {isOpen ? labels.hide : labels.show}
        </Button>
      </div>
      {isOpen && (
        <ul id={list} className="max-h-40 overflow-auto py-1 font-mono text-xs">
          {unseen.map(({ path, added, removed }) => (
            <li key={path} className="flex h-6 items-center gap-2">
              <PathText path={path} className="flex-1" />
              <LineCounts added={added} removed={removed} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const none: readonly FileChange[] = []

function linesOf(changes: readonly FileChange[]): number {
  return changes.reduce((sum, { added, removed }) => sum + (added ?? 0) + (removed ?? 0), 0)
}
