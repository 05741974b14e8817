import { CircleCheck, Copy, Download } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { PatchExport } from '#shared/contract/views.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp, useClient, useLoaded, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { useAuthorNames } from '../state/use-author-names.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { toastNote } from '../ui/undo-toast.ts'
import { useMedia } from '../ui/use-media.ts'
import { Waiting } from '../ui/waiting.tsx'
import { FileChoice } from './file-choice.tsx'
import { PatchText } from './patch-text.tsx'
import { saveBytes } from './save-bytes.ts'

const labels = strings.changes

export interface ExportDialogProps {
  readonly branchId: BranchId
  readonly changes: readonly FileChange[]
  /** Checked at first; null for all. */
  readonly initial: readonly VirtualPath[] | null
  readonly onClose: () => void
}

/** Choose files, see the patch, copy or save it. */
export function ExportDialog({ branchId, changes, initial, onClose }: ExportDialogProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const name = useApp((state) => state.project?.name ?? 'changes')
  const authorOf = useAuthorNames(branchId)
  const [chosen, setChosen] = useState<ReadonlySet<VirtualPath>>(
    () => new Set(initial ?? changes.map(({ path }) => path)),
  )
  const paths = changes.map(({ path }) => path).filter((path) => chosen.has(path))
  const [patch, reload] = useLoaded(paths.join('\0'), async (signal) =>
    paths.length === 0
      ? null
      : client.changes.exportPatch(
          { projectId, branchId, paths: paths.length === changes.length ? null : paths },
          { signal },
        ),
  )
  const ready = patch.state === 'ready' ? patch.value : null
  const beside = useMedia('(min-width: 768px)')
  const copy = (text: string): void =>
    void navigator.clipboard.writeText(text).then(() => toastNote(strings.common.copied))
  return (
    <Dialog
      wide
      title={labels.exportTitle}
      description={labels.exportDescription}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        <>
          <Button icon={<Copy size={14} aria-hidden />} disabled={!ready} onClick={() => ready && copy(ready.text)}>
            {labels.copy}
          </Button>
          <Button
            tone="primary"
            icon={<Download size={14} aria-hidden />}
            disabled={!ready}
            onClick={() => ready && saveBytes(`${name}.patch`, ready.base64)}
          >
            {labels.saveAs}
          </Button>
        </>
      }
    >
      <div className="grid gap-4 md:grid-cols-[16rem_minmax(0,1fr)]">
        <FileChoice
          label={labels.chooseFiles}
          height={beside ? '46vh' : '20vh'}
          files={changes.map((change) => ({ ...change, author: authorOf(change.path) }))}
          chosen={chosen}
          onChange={setChosen}
        />
        <div className="flex min-w-0 flex-col gap-2">
          <MovedOnDisk branchId={branchId} paths={chosen} />
          {paths.length === 0 && <Notice tone="info" title={labels.noChanges} />}
          {patch.state === 'failed' && <RefusalNotice refusal={patch.refusal} onRetry={reload} />}
          {patch.state === 'loading' && <Waiting label={labels.makingPatch} />}
          {ready && <Preview patch={ready} />}
        </div>
      </div>
    </Dialog>
  )
}

/** A patch is against what the agent started from; where the disk is elsewhere by now, it may not fit. */
function MovedOnDisk({ branchId, paths }: { branchId: BranchId; paths: ReadonlySet<VirtualPath> }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const [drifts] = useLoaded(branchId, (signal) => client.changes.drift({ projectId, branchId }, { signal }))
  const moved = (drifts.value ?? []).filter(({ path, since }) => since === 'changed' && paths.has(path))
  if (moved.length === 0) return null
  const listed = moved.map(({ path, kind }) => `${path}: ${strings.drift.mark[kind]}`).join('\n')
  return <Notice tone="warning" title={labels.patchMayNotFit(moved.length)} detail={listed} />
}

function Preview({ patch }: { patch: PatchExport }): ReactNode {
  return (
    <>
      {patch.verifiedBy.length > 0 ? (
        <p className="flex items-center gap-1.5 text-good">
          <CircleCheck size={14} aria-hidden />
          {labels.verified(patch.verifiedBy.map((by) => labels.verifiers[by]).join(', '))}
        </p>
      ) : (
        <Notice tone="warning" title={labels.notVerified} />
      )}
      {patch.leftOut.length > 0 && (
        <Notice
          tone="warning"
          title={labels.leftOut(patch.leftOut.length)}
          detail={patch.leftOut.map(({ path, why }) => `${path}: ${why}`).join('\n')}
        />
      )}
      <PatchText label={labels.preview} text={patch.text} />
    </>
  )
}
