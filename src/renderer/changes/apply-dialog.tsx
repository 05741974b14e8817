import { ArrowLeft, CircleCheck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { ApplyReceipt } from '#shared/contract/views/branches.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { redRequired } from '../parts/checks/check-words.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import type { Refusal } from '../state/connection/refusal.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { useLeavingChecks } from '../state/hooks/use-checks.ts'
import { checkDetails } from '../strings/later/check-details.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { ApplyTargets } from './apply-targets.tsx'
import { DiskConflict, type RenderConflict } from './disk-conflict.tsx'
import { LeavingChecks } from './leaving-checks.tsx'
import { UnseenLines } from './unseen-lines.tsx'
import { type Apply, useApply } from './use-apply.ts'

const labels = strings.changes

interface ApplyDialogProps {
  readonly branchId: BranchId
  /** The files that are checked at first; null for all. */
  readonly initial: readonly VirtualPath[] | null
  readonly renderConflict: RenderConflict
  readonly onClose: () => void
}

/**
 * The only way to write to the person's files: a list, a comparison with the disk, a confirmation, and a receipt with
 * its undo.
 */
export function ApplyDialog({ branchId, initial, renderConflict, onClose }: ApplyDialogProps): ReactNode {
  const folder = useApp((state) => state.projectInfo?.path ?? '')
  const apply = useApply(branchId, initial)
  const { planRefusal, writing, settling } = apply
  const { chosen, targets } = apply
  const isWhole = chosen.size === targets?.length
  const checks = useLeavingChecks(branchId, isWhole || targets === null ? null : [...chosen])
  const red = checks ? redRequired(checks) : []
  return (
    <Dialog
      wide={apply.step.kind === 'decide'}
      title={labels.applyTitle}
      description={labels.applyDescription(folder)}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={<Footer key={red.join()} apply={apply} red={red} onClose={onClose} />}
    >
      <div className="flex flex-col gap-3">
        {writing.refusal && <ApplyEnd refusal={writing.refusal} />}
        {settling.command.refusal && <RefusalNotice refusal={settling.command.refusal} />}
        {planRefusal && <RefusalNotice refusal={planRefusal} onRetry={apply.toList} />}
        {!planRefusal && !apply.targets && <Waiting label={labels.checking} />}
        {writing.busy && <ApplyProgress branchId={branchId} count={apply.chosen.size + apply.along.length} />}
        {apply.step.kind === 'choose' && <LeavingChecks checks={checks} isWhole={isWhole} />}
        {apply.step.kind === 'choose' && <UnseenLines branchId={branchId} paths={isWhole ? null : [...chosen]} />}
        <Step branchId={branchId} apply={apply} renderConflict={renderConflict} />
      </div>
    </Dialog>
  )
}

/** Says why the writing ended. A cancel by the person is not an error. */
function ApplyEnd({ refusal }: { refusal: Refusal }): ReactNode {
  return refusal.code === 'CANCELLED' ? (
    <Notice tone="info" title={refusal.message} />
  ) : (
    <RefusalNotice refusal={refusal} />
  )
}

interface FooterProps {
  readonly apply: Apply
  /** Names of required checks that are red on these files. Then writing takes a second press. */
  readonly red: readonly string[]
  readonly onClose: () => void
}

function Footer({ apply, red, onClose }: FooterProps): ReactNode {
  const [isWarned, setWarned] = useState(false)
  const { step, writing, settling, chosen } = apply
  async function undo(receipt: ApplyReceipt): Promise<void> {
    if (!(await apply.undo(receipt))) return
    toastNote(labels.applyUndone)
    onClose()
  }
  if (step.kind === 'done') {
    return (
      <>
        <Button tone="danger" disabled={writing.busy} onClick={() => void undo(step.receipt)}>
          {labels.undoApply}
        </Button>
        <Button tone="primary" onClick={onClose}>
          {strings.common.close}
        </Button>
      </>
    )
  }
  const unready = writing.busy || settling.command.busy || chosen.size === 0
  return (
    <>
      {isWarned && (
        <p role="alert" className="mr-auto min-w-40 flex-1 text-warn">
          <VisibleText text={`${checkDetails.leaving.red(red)}. ${checkDetails.leaving.redDetail}`} />
        </p>
      )}
      <Button onClick={writing.busy ? () => void apply.cancel() : onClose}>{strings.common.cancel}</Button>
      {step.kind === 'choose' && (
        <Button
          tone="primary"
          disabled={unready}
          onClick={() => (red.length > 0 && !isWarned ? setWarned(true) : void apply.write())}
        >
          {isWarned ? checkDetails.leaving.confirm : labels.applyCount(chosen.size, apply.along.length)}
        </Button>
      )}
    </>
  )
}

interface StepProps {
  readonly branchId: BranchId
  readonly apply: Apply
  readonly renderConflict: RenderConflict
}

function Step({ branchId, apply, renderConflict }: StepProps): ReactNode {
  const { step, targets, chosen } = apply
  switch (step.kind) {
    case 'done':
      return <Receipt receipt={step.receipt} left={countLeftOut(targets ?? [], step.receipt)} />
    case 'decide':
      return (
        <>
          <Button tone="quiet" className="self-start" icon={<ArrowLeft size={14} aria-hidden />} onClick={apply.toList}>
            {labels.backToFiles}
          </Button>
          <DiskConflict branchId={branchId} path={step.path} renderConflict={renderConflict} onDone={apply.toList} />
        </>
      )
    case 'choose':
      return targets ? (
        <ApplyTargets
          branchId={branchId}
          targets={targets}
          chosen={chosen}
          onChange={apply.choose}
          onJoin={(path) => void apply.join(path)}
          onDecide={apply.decide}
          onKeepOurs={(path) => void apply.keepOurs(path)}
          onTakeDisk={(path) => void apply.takeDisk(path)}
        />
      ) : null
  }
}

function countLeftOut(targets: readonly { readonly path: VirtualPath }[], { written, deleted }: ApplyReceipt): number {
  const done = new Set([...written, ...deleted])
  return targets.filter(({ path }) => !done.has(path)).length
}

/** The progress of the writing. A short write ends before there is any progress to show. */
function ApplyProgress({ branchId, count }: { branchId: BranchId; count: number }): ReactNode {
  const done = useApp((state) => state.live.applies.get(branchId))
  return (
    <div>
      <Waiting label={labels.working(count)} />
      {done !== undefined && (
        <progress aria-label={labels.progress} value={done} className="h-1 w-full accent-accent" />
      )}
    </div>
  )
}

const rowHeight = 20

/** Lists the files that were written to the disk or deleted from it. */
function Receipt({ receipt, left }: { receipt: ApplyReceipt; left: number }): ReactNode {
  const paths = [...receipt.written, ...receipt.deleted]
  return (
    <div>
      <p role="status" className="flex items-center gap-2 font-medium text-good">
        <CircleCheck size={16} aria-hidden />
        {labels.applied(paths.length)}
      </p>
      <p className="text-muted">{labels.receipt(receipt.written.length, receipt.deleted.length)}</p>
      {left > 0 && <p className="text-muted">{labels.stillChanged(left)}</p>}
      <Virtuoso
        className="mt-2 text-xs"
        style={{ height: `min(40vh, ${paths.length * rowHeight}px)` }}
        data={paths}
        fixedItemHeight={rowHeight}
        initialItemCount={Math.min(paths.length, 20)}
        itemContent={(index, path) => (
          <div className="flex h-5 items-center gap-2">
            <span className="w-14 shrink-0 text-muted">
              {index < receipt.written.length ? labels.written : labels.deleted}
            </span>
            <PathText path={path} />
          </div>
        )}
      />
    </div>
  )
}
