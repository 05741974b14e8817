import { CircleCheck, OctagonX, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { ApplyReceipt, ApplyTarget } from '#shared/contract/views.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp, useClient, useCommand, useLoaded, useProjectId } from '../state/hooks.tsx'
import { refusalOf } from '../state/refusal.ts'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { toastNote } from '../ui/undo-toast.ts'
import { DiskConflict, type RenderConflict } from './disk-conflict.tsx'
import { FileChoice } from './file-choice.tsx'

const words = strings.changes

export interface ApplyDialogProps {
  readonly branchId: BranchId
  readonly renderConflict: RenderConflict
  readonly onClose: () => void
}

/** The one way to the person's files: a list, a check against the disk, a yes, and a receipt with its undo. */
export function ApplyDialog({ branchId, renderConflict, onClose }: ApplyDialogProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const folder = useApp((state) => state.project?.path ?? '')
  const applying = useCommand()
  const [plan, reload] = useLoaded(branchId, () => client.changes.planApply({ projectId, branchId, paths: null }))
  const [chosen, setChosen] = useState<ReadonlySet<VirtualPath>>(new Set())
  const [receipt, setReceipt] = useState<ApplyReceipt | null>(null)
  const [deciding, setDeciding] = useState<VirtualPath | null>(null)
  const targets = plan.state === 'ready' ? plan.value.files : null

  useEffect(() => {
    if (targets) setChosen(new Set(targets.filter(({ state }) => state === 'ready').map(({ path }) => path)))
  }, [targets])

  async function apply(): Promise<void> {
    const paths = chosen.size === targets?.length ? null : [...chosen]
    await applying.run(async () => setReceipt(await client.changes.apply({ projectId, branchId, paths })))
  }

  /** What cannot be joined by itself is opened to be decided. */
  async function join(path: VirtualPath): Promise<void> {
    await applying.run(async () => {
      try {
        await client.changes.takeDisk({ projectId, branchId, path, text: null })
        reload()
      } catch (error) {
        if (refusalOf(error).code !== 'CONFLICT') throw error
        setDeciding(path)
      }
    })
  }

  function decided(): void {
    setDeciding(null)
    reload()
  }

  async function undo(done: ApplyReceipt): Promise<void> {
    const undone = await applying.run(() => client.changes.undoApply({ projectId, branchId, sequence: done.sequence }))
    if (!undone) return
    toastNote(words.applyUndone)
    onClose()
  }

  return (
    <Dialog
      title={words.applyTitle}
      description={words.applyDescription(folder)}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        receipt ? (
          <>
            <Button tone="danger" disabled={applying.busy} onClick={() => void undo(receipt)}>
              {words.undoApply}
            </Button>
            <Button tone="primary" onClick={onClose}>
              {strings.common.close}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>{strings.common.cancel}</Button>
            <Button tone="primary" disabled={applying.busy || chosen.size === 0} onClick={() => void apply()}>
              {words.applyCount(chosen.size)}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {applying.refusal && <RefusalNotice refusal={applying.refusal} />}
        {plan.state === 'failed' && <RefusalNotice refusal={plan.refusal} onRetry={reload} />}
        {!targets && plan.state === 'loading' && <p className="text-muted">{strings.common.loading}</p>}
        {receipt ? (
          <Receipt receipt={receipt} />
        ) : (
          targets && (
            <>
              {targets.some(({ state }) => state !== 'ready') && <Notice tone="warning" title={words.blocked} />}
              <FileChoice
                label={words.chooseFiles}
                files={targets.map((target) => ({
                  ...target,
                  disabled: target.state !== 'ready',
                  note: <TargetState target={target} onJoin={join} onDecide={setDeciding} />,
                }))}
                chosen={chosen}
                onChange={setChosen}
              />
              {deciding && (
                <DiskConflict
                  key={deciding}
                  branchId={branchId}
                  path={deciding}
                  renderConflict={renderConflict}
                  onDone={decided}
                />
              )}
            </>
          )
        )}
      </div>
    </Dialog>
  )
}

function Receipt({ receipt }: { receipt: ApplyReceipt }): ReactNode {
  return (
    <div role="status">
      <p className="flex items-center gap-2 font-medium text-good">
        <CircleCheck size={16} aria-hidden />
        {words.applied(receipt.written.length + receipt.deleted.length)}
      </p>
      <p className="text-muted">{words.receipt(receipt.written.length, receipt.deleted.length)}</p>
      <ul className="mt-2 font-mono text-xs">
        {[...receipt.written, ...receipt.deleted].map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
    </div>
  )
}

const looks = {
  ready: { Icon: CircleCheck, ink: 'text-good' },
  changed: { Icon: TriangleAlert, ink: 'text-warn' },
  refused: { Icon: OctagonX, ink: 'text-bad' },
} as const

interface TargetStateProps {
  readonly target: ApplyTarget
  readonly onJoin: (path: VirtualPath) => void
  readonly onDecide: (path: VirtualPath) => void
}

function TargetState({ target, onJoin, onDecide }: TargetStateProps): ReactNode {
  const { Icon, ink } = looks[target.state]
  return (
    <span className={`flex flex-wrap items-center gap-1 text-xs ${ink}`}>
      <Icon size={13} aria-hidden className="shrink-0" />
      {words.states[target.state]}
      {target.why && `: ${target.why}`}
      {target.state === 'changed' && (
        <>
          <Button aria-label={words.joinLabel(target.path)} onClick={() => onJoin(target.path)}>
            {words.join}
          </Button>
          <Button aria-label={words.decideLabel(target.path)} onClick={() => onDecide(target.path)}>
            {words.decide}
          </Button>
        </>
      )}
    </span>
  )
}
