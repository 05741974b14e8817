import { FileDiff } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp, useSession, useUpdateView } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { workspaceOf } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'
import { AriaElement } from '../ui/aria-element.tsx'
import { Empty } from '../ui/notice.tsx'
import { hunkStep } from '../ui/review-keys.ts'
import type { HunkSteps } from '../ui/virtual-diff.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import { ApplyHistory } from './apply-history.tsx'
import { ChangeList } from './change-list.tsx'
import { firstFile } from './change-tree.ts'
import { ChangedFile } from './changed-file.tsx'
import { ChangesHeader } from './changes-header.tsx'
import type { RenderConflict } from './disk-conflict.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { SelectionBar } from './selection-bar.tsx'

const words = strings.changes

/** What is changed in the workspace: review it, take files back, export a patch, or write it to disk. */
export function ChangesScreen({ renderConflict }: { renderConflict: RenderConflict }): ReactNode {
  const { reloadChanges } = useSession()
  const branchId = useApp(workspaceOf)
  const changes = useApp((state) => state.changes)
  const problem = useApp((state) => state.changesProblem)
  if (branchId && problem) {
    return (
      <div className="p-3">
        <RefusalNotice refusal={problem} onRetry={reloadChanges} />
      </div>
    )
  }
  if (branchId && !changes) return <Waiting label={strings.common.loading} />
  if (branchId && changes && changes.length > 0)
    return <Changed key={branchId} branchId={branchId} changes={changes} renderConflict={renderConflict} />
  return (
    <>
      <ChangesHeader changes={[]} onOpen={() => undefined} />
      {branchId && <ApplyHistory branchId={branchId} />}
      <Empty icon={<FileDiff size={24} aria-hidden />} title={words.emptyTitle} detail={words.emptyDetail} />
    </>
  )
}

interface ChangedProps {
  readonly branchId: BranchId
  readonly changes: readonly FileChange[]
  readonly renderConflict: RenderConflict
}

function Changed({ branchId, changes, renderConflict }: ChangedProps): ReactNode {
  const shown = useApp((state) => state.view.changedFile)
  const updateView = useUpdateView()
  const show = (path: VirtualPath): void => updateView((view) => ({ ...view, changedFile: path }))
  const [selection, setSelection] = useState<ReadonlySet<VirtualPath>>(new Set())
  const [dialog, setDialog] = useState<'none' | 'export' | 'apply'>('none')
  const steps = useRef<HunkSteps>(null)
  const file = changes.find(({ path }) => path === shown) ?? firstFile(changes)
  const selected = changes.map(({ path }) => path).filter((path) => selection.has(path))
  const chosen = selected.length > 0 ? selected : null
  const close = (): void => setDialog('none')

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const by = hunkStep(event.nativeEvent)
    if (by) steps.current?.step(by)
  }

  return (
    <>
      <ChangesHeader changes={changes} onOpen={setDialog} />
      <ApplyHistory branchId={branchId} />
      <AriaElement
        role="group"
        aria-label={words.review}
        onKeyDown={onKeyDown}
        className="grid min-h-0 flex-1 max-md:grid-rows-[minmax(0,40%)_1fr] md:grid-cols-[minmax(13rem,19rem)_minmax(0,1fr)]"
      >
        <div className="flex min-h-0 flex-col border-line md:border-r">
          <SelectionBar branchId={branchId} changes={changes} selection={selection} onSelect={setSelection} />
          <ChangeList
            branchId={branchId}
            changes={changes}
            shown={file?.path ?? rootPath}
            onShow={show}
            selection={selection}
            onSelect={setSelection}
          />
        </div>
        {file && (
          <ChangedFile
            key={file.path}
            branchId={branchId}
            change={file}
            renderConflict={renderConflict}
            steps={steps}
          />
        )}
      </AriaElement>
      {dialog === 'export' && <ExportDialog branchId={branchId} changes={changes} initial={chosen} onClose={close} />}
      {dialog === 'apply' && (
        <ApplyDialog branchId={branchId} initial={chosen} renderConflict={renderConflict} onClose={close} />
      )}
    </>
  )
}
