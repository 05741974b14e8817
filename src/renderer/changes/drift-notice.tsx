import type { ReactNode } from 'react'
import type { Drift } from '#shared/model/drift.ts'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import type { ChangeActs } from './use-change-acts.ts'

const labels = strings.drift

export interface DriftNoticeProps {
  readonly drift: Drift
  readonly acts: ChangeActs
  readonly onCompare: () => void
}

/** What happened to a changed file on disk, and the ways to go on. */
export function DriftNotice({ drift, acts, onCompare }: DriftNoticeProps): ReactNode {
  const isText = drift.kind === 'changed' || drift.kind === 'appeared'
  const { busy } = acts.command
  return (
    <div className="p-2">
      <Notice
        tone="warning"
        title={labels.title(drift)}
        detail={labels.detail[drift.since]}
        actions={
          <>
            <Button onClick={onCompare}>{labels.compare}</Button>
            {isText && (
              <Button disabled={busy} onClick={() => void acts.join(drift.path, onCompare)}>
                {labels.join}
              </Button>
            )}
            <Button tone="danger" disabled={busy} onClick={() => void acts.takeDisk(drift.path)}>
              {labels.takeDisk}
            </Button>
          </>
        }
      />
    </div>
  )
}
