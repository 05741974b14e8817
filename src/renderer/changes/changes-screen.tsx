import { Download, FileDiff, HardDriveDownload, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp, useClient, useCommand, useLoaded, useProjectId } from '../state/hooks.tsx'
import { refusalOf } from '../state/refusal.ts'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { workspaceOf } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { FileDiffView } from '../ui/file-diff-view.tsx'
import { Empty } from '../ui/notice.tsx'
import { toastNote, toastProblem, toastWithUndo } from '../ui/undo-toast.ts'
import { ApplyDialog } from './apply-dialog.tsx'
import { ApplyHistory } from './apply-history.tsx'
import { ChangeList } from './change-list.tsx'
import type { RenderConflict } from './disk-conflict.tsx'
import { ExportDialog } from './export-dialog.tsx'

const words = strings.changes

/** What is changed in the workspace: review it, take files back, export a patch, or write it to disk. */
export function ChangesScreen({ renderConflict }: { renderConflict: RenderConflict }): ReactNode {
  const branchId = useApp(workspaceOf)
  const changes = useApp((state) => state.changes) ?? []
  const [chosen, setChosen] = useState<VirtualPath | null>(null)
  const [dialog, setDialog] = useState<'none' | 'export' | 'apply'>('none')
  const file = changes.find(({ path }) => path === chosen) ?? changes[0] ?? null
  const none = branchId === null || changes.length === 0
  return (
    <>
      <header className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
        <h2 className="font-semibold">
          {changes.length > 0 ? strings.shell.workspaceChanged(changes.length) : strings.shell.workspaceClean}
        </h2>
        <span className="ml-auto flex gap-2">
          <Button icon={<Download size={14} aria-hidden />} disabled={none} onClick={() => setDialog('export')}>
            {words.exportPatch}
          </Button>
          <Button
            tone="primary"
            icon={<HardDriveDownload size={14} aria-hidden />}
            disabled={none}
            onClick={() => setDialog('apply')}
          >
            {words.apply}
          </Button>
        </span>
      </header>
      {branchId && <ApplyHistory branchId={branchId} />}
      {branchId && file ? (
        <div className="grid min-h-0 flex-1 max-md:grid-rows-[minmax(0,40%)_1fr] md:grid-cols-[minmax(12rem,17rem)_minmax(0,1fr)]">
          <ChangeList branchId={branchId} changes={changes} chosen={file.path} onChoose={setChosen} />
          <ChangedFile key={file.path} branchId={branchId} change={file} />
        </div>
      ) : (
        <Empty icon={<FileDiff size={24} aria-hidden />} title={words.emptyTitle} detail={words.emptyDetail} />
      )}
      {branchId && dialog === 'export' && (
        <ExportDialog branchId={branchId} changes={changes} onClose={() => setDialog('none')} />
      )}
      {branchId && dialog === 'apply' && (
        <ApplyDialog branchId={branchId} renderConflict={renderConflict} onClose={() => setDialog('none')} />
      )}
    </>
  )
}

function ChangedFile({ branchId, change }: { branchId: BranchId; change: FileChange }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const reverting = useCommand()
  const version = useApp((state) => state.timeline.versions.get(branchId) ?? 0)
  const [diff, reload] = useLoaded(`${branchId} ${change.path} ${version}`, () =>
    client.changes.diff({ projectId, branchId, path: change.path }),
  )

  async function revert(): Promise<void> {
    await reverting.run(async () => {
      const { sequence } = await client.changes.revert({ projectId, branchId, paths: [change.path] })
      const onUndo = (): void =>
        void client.branches.undo({ projectId, sequence }).then(
          () => toastNote(strings.branches.undone),
          (error: unknown) => toastProblem(refusalOf(error).message, refusalOf(error).nextStep),
        )
      toastWithUndo({ message: words.reverted(change.path), undoLabel: strings.common.undo, onUndo })
    })
  }

  return (
    <div className="flex min-h-0 min-w-0 flex-col border-line max-md:border-t">
      {reverting.refusal && <RefusalNotice refusal={reverting.refusal} />}
      {diff.state === 'failed' && <RefusalNotice refusal={diff.refusal} onRetry={reload} />}
      {diff.value && (
        <FileDiffView
          label={words.diffOf(change.path)}
          diff={diff.value}
          words={strings.common}
          aside={
            <Button
              tone="danger"
              icon={<Undo2 size={14} aria-hidden />}
              aria-label={words.revertLabel(change.path)}
              disabled={reverting.busy}
              onClick={() => void revert()}
            >
              {words.revert}
            </Button>
          }
        />
      )}
    </div>
  )
}
