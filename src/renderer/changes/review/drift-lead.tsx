import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Drift } from '#shared/model/drift.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { DiskConflict, type RenderConflict } from '../disk-conflict.tsx'
import type { ChangeActions } from '../use-change-actions.ts'

const labels = strings.drift

interface DriftLeadProps {
  readonly branchId: BranchId
  readonly drift: Drift
  readonly actions: ChangeActions
  readonly renderConflict: RenderConflict
}

/** Says how the file changed on disk, and offers the ways to go on. */
export function DriftLead({ branchId, drift, actions, renderConflict }: DriftLeadProps): ReactNode {
  const [comparing, setComparing] = useState(false)
  const isText = drift.kind === 'changed' || drift.kind === 'appeared'
  const { busy } = actions.command
  const compare = (): void => setComparing(true)
  const close = (): void => setComparing(false)
  if (comparing) {
    return (
      <div>
        <Button tone="quiet" icon={<ArrowLeft size={14} aria-hidden />} className="m-2" onClick={close}>
          {labels.back}
        </Button>
        <DiskConflict branchId={branchId} path={drift.path} renderConflict={renderConflict} onDone={close} />
      </div>
    )
  }
  return (
    <div className="p-2">
      <Notice
        tone="warning"
        title={labels.title(drift)}
        detail={labels.detail[drift.since]}
        actions={
          <>
            <Button onClick={compare}>{labels.compare}</Button>
            {isText && (
              <Button disabled={busy} onClick={() => void actions.join(drift.path, compare)}>
                {labels.join}
              </Button>
            )}
            <Button tone="danger" disabled={busy} onClick={() => void actions.takeDisk(drift.path)}>
              {labels.takeDisk}
            </Button>
          </>
        }
      />
    </div>
  )
}
