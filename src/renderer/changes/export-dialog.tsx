import { CircleCheck, Copy, Download } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { PatchExport } from '#shared/contract/views.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp, useClient, useLoaded, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { reachable } from '../ui/reachable.ts'
import { toastNote } from '../ui/undo-toast.ts'
import { FileChoice } from './file-choice.tsx'
import { PatchText } from './patch-text.tsx'
import { saveBytes } from './save-bytes.ts'

const words = strings.changes

export interface ExportDialogProps {
  readonly branchId: BranchId
  readonly changes: readonly FileChange[]
  readonly onClose: () => void
}

/** Choose files, see the patch, copy or save it. */
export function ExportDialog({ branchId, changes, onClose }: ExportDialogProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const name = useApp((state) => state.project?.name ?? 'changes')
  const [chosen, setChosen] = useState<ReadonlySet<VirtualPath>>(() => new Set(changes.map(({ path }) => path)))
  const paths = changes.map(({ path }) => path).filter((path) => chosen.has(path))
  const [patch, reload] = useLoaded(paths.join('\0'), async () =>
    paths.length === 0
      ? null
      : client.changes.exportPatch({ projectId, branchId, paths: paths.length === changes.length ? null : paths }),
  )
  const ready = patch.state === 'ready' ? patch.value : null
  return (
    <Dialog
      wide
      title={words.exportTitle}
      description={words.exportDescription}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        <>
          <Button
            icon={<Copy size={14} aria-hidden />}
            disabled={!ready}
            onClick={() =>
              ready && void navigator.clipboard.writeText(ready.text).then(() => toastNote(strings.common.copied))
            }
          >
            {words.copy}
          </Button>
          <Button
            tone="primary"
            icon={<Download size={14} aria-hidden />}
            disabled={!ready}
            onClick={() => ready && saveBytes(`${name}.patch`, ready.base64)}
          >
            {words.saveAs}
          </Button>
        </>
      }
    >
      <div className="grid gap-4 md:grid-cols-[16rem_1fr]">
        <FileChoice label={words.chooseFiles} files={changes} chosen={chosen} onChange={setChosen} />
        <div className="flex min-w-0 flex-col gap-2">
          {paths.length === 0 && <Notice tone="info" title={words.noChanges} />}
          {patch.state === 'failed' && <RefusalNotice refusal={patch.refusal} onRetry={reload} />}
          {patch.value && <Preview patch={patch.value} />}
        </div>
      </div>
    </Dialog>
  )
}

function Preview({ patch }: { patch: PatchExport }): ReactNode {
  return (
    <>
      {patch.verifiedBy.length > 0 ? (
        <p className="flex items-center gap-1.5 text-good">
          <CircleCheck size={14} aria-hidden />
          {words.verified(patch.verifiedBy.map((by) => words.verifiers[by]).join(', '))}
        </p>
      ) : (
        <Notice tone="warning" title={words.notVerified} />
      )}
      {patch.leftOut.length > 0 && (
        <Notice
          tone="warning"
          title={words.leftOut(patch.leftOut.length)}
          detail={patch.leftOut.map(({ path, why }) => `${path}: ${why}`).join('\n')}
        />
      )}
      <section
        {...reachable}
        aria-label={words.preview}
        className="max-h-[46vh] overflow-auto rounded-md border border-line bg-panel py-1"
      >
        <PatchText text={patch.text} more={words.moreLines} />
      </section>
    </>
  )
}
