import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { ApplyReceipt } from '#shared/contract/views.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp, useClient, useCommand, useLoaded, useProjectId } from '../state/hooks.tsx'
import { refusalOf } from '../state/refusal.ts'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { toastNote } from '../ui/undo-toast.ts'
import { Waiting } from '../ui/waiting.tsx'
import { ApplyProgress } from './apply-progress.tsx'
import { Receipt } from './apply-receipt.tsx'
import { ApplyTargets } from './apply-targets.tsx'
import { DiskConflict, type RenderConflict } from './disk-conflict.tsx'

const words = strings.changes

export interface ApplyDialogProps {
  readonly branchId: BranchId
  /** Checked at first; null for all. */
  readonly initial: readonly VirtualPath[] | null
  readonly renderConflict: RenderConflict
  readonly onClose: () => void
}

/** The one way to the person's files: a list, a check against the disk, a yes, and a receipt with its undo. */
export function ApplyDialog({ branchId, initial, renderConflict, onClose }: ApplyDialogProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const folder = useApp((state) => state.project?.path ?? '')
  const applying = useCommand()
  const [plan, reload] = useLoaded(branchId, (signal) =>
    client.changes.planApply({ projectId, branchId, paths: null }, { signal }),
  )
  const targets = plan.value?.files ?? null
  const [chosen, setChosen] = useChosen(targets, initial)
  const [receipt, setReceipt] = useState<ApplyReceipt | null>(null)
  const [deciding, setDeciding] = useState<VirtualPath | null>(null)

  async function apply(): Promise<void> {
    const paths = chosen.size === targets?.length ? null : [...chosen]
    await applying.run(async () => setReceipt(await client.changes.apply({ projectId, branchId, paths })))
  }

  /** The apply under way says itself how it ended. */
  async function cancel(): Promise<void> {
    await client.changes.cancelApply({ projectId, branchId }).catch(() => undefined)
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

  async function takeDisk(path: VirtualPath): Promise<void> {
    if (await applying.run(() => client.changes.revert({ projectId, branchId, paths: [path] }))) reload()
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
      wide={deciding !== null}
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
            <Button onClick={applying.busy ? () => void cancel() : onClose}>{strings.common.cancel}</Button>
            {!deciding && (
              <Button tone="primary" disabled={applying.busy || chosen.size === 0} onClick={() => void apply()}>
                {words.applyCount(chosen.size)}
              </Button>
            )}
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {applying.refusal && <RefusalNotice refusal={applying.refusal} />}
        {plan.state === 'failed' && <RefusalNotice refusal={plan.refusal} onRetry={reload} />}
        {plan.state === 'loading' && <Waiting label={words.checking} />}
        {applying.busy && <ApplyProgress branchId={branchId} count={chosen.size} />}
        {receipt && <Receipt receipt={receipt} left={leftOut(targets, receipt)} />}
        {!receipt && targets && !deciding && (
          <ApplyTargets
            targets={targets}
            chosen={chosen}
            onChange={setChosen}
            onJoin={(path) => void join(path)}
            onDecide={setDeciding}
            onTakeDisk={(path) => void takeDisk(path)}
          />
        )}
        {!receipt && deciding && (
          <>
            <Button
              tone="quiet"
              className="self-start"
              icon={<ArrowLeft size={14} aria-hidden />}
              onClick={() => setDeciding(null)}
            >
              {words.backToFiles}
            </Button>
            <DiskConflict
              key={deciding}
              branchId={branchId}
              path={deciding}
              renderConflict={renderConflict}
              onDone={decided}
            />
          </>
        )}
      </div>
    </Dialog>
  )
}

type Targets = readonly { readonly path: VirtualPath; readonly state: string }[]

/** What can be written is checked until somebody says otherwise, also after a file was joined. */
function useChosen(targets: Targets | null, initial: readonly VirtualPath[] | null) {
  const [chosen, setChosen] = useState<ReadonlySet<VirtualPath>>(new Set())
  useEffect(() => {
    const ready = (targets ?? []).filter(({ state }) => state === 'ready').map(({ path }) => path)
    setChosen(new Set(ready.filter((path) => initial === null || initial.includes(path))))
  }, [targets, initial])
  return [chosen, setChosen] as const
}

function leftOut(targets: Targets | null, { written, deleted }: ApplyReceipt): number {
  const done = new Set([...written, ...deleted])
  return (targets ?? []).filter(({ path }) => !done.has(path)).length
}
