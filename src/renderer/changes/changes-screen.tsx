import { FileDiff } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { CheckoutList } from '../parts/checkouts/checkout-list.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useSession, useUpdateUi } from '../state/hooks/hooks.tsx'
import { workspaceOf } from '../state/store/selectors.ts'
import type { ChangesDialog } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Empty } from '../ui/controls/notice.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import { ChangesBody } from './changes-body.tsx'
import { ApplyHistory, ChangesHeader } from './changes-header.tsx'
import { DeliverDialog } from './delivery/deliver-dialog.tsx'
import { DeliveryHistory } from './delivery/delivery-history.tsx'
import type { RenderConflict } from './disk-conflict.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { LeftInGit, useLeftInGit } from './left-in-git.tsx'

const labels = strings.changes

interface ChangesScreenProps {
  readonly renderConflict: RenderConflict
}

/** The changes of the workspace: review them, revert files, export a patch, or write them to disk. */
export function ChangesScreen({ renderConflict }: ChangesScreenProps): ReactNode {
  const branchId = useApp(workspaceOf)
  if (branchId) return <Workspace key={branchId} branchId={branchId} renderConflict={renderConflict} />
  return <NothingChanged branchId={null} />
}

interface OpenDialog {
  readonly kind: ChangesDialog
  /** The files that were selected when the dialog opened; null for all. */
  readonly paths: readonly VirtualPath[] | null
}

/**
 * Keeps a dialog open when the list below it becomes empty: an apply leaves no changes, but its receipt must stay
 * readable.
 */
function Workspace({ branchId, renderConflict }: ChangesScreenProps & { readonly branchId: BranchId }): ReactNode {
  const changes = useApp((state) => state.changes)
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const close = (): void => setDialog(null)
  const asked = useApp((state) => state.ui.changesDialog)
  const updateUi = useUpdateUi()
  useEffect(() => {
    if (asked === null) return
    setDialog({ kind: asked, paths: null })
    updateUi((ui) => ({ ...ui, changesDialog: null }))
  }, [asked, updateUi])
  return (
    <>
      <List branchId={branchId} renderConflict={renderConflict} onOpen={(kind, paths) => setDialog({ kind, paths })} />
      {dialog?.kind === 'export' && changes && (
        <ExportDialog branchId={branchId} changes={changes} initial={dialog.paths} onClose={close} />
      )}
      {dialog?.kind === 'deliver' && <DeliverDialog branchId={branchId} onClose={close} />}
      {dialog?.kind === 'apply' && (
        <ApplyDialog branchId={branchId} initial={dialog.paths} renderConflict={renderConflict} onClose={close} />
      )}
    </>
  )
}

interface ListProps extends ChangesScreenProps {
  readonly branchId: BranchId
  readonly onOpen: (kind: OpenDialog['kind'], paths: OpenDialog['paths']) => void
}

function List(props: ListProps): ReactNode {
  const { reloadChanges } = useSession()
  const changes = useApp((state) => state.changes)
  const problem = useApp((state) => state.changesProblem)
  if (problem) {
    return (
      <div className="p-3">
        <RefusalNotice refusal={problem} onRetry={reloadChanges} />
      </div>
    )
  }
  if (!changes) return <Waiting label={strings.common.loading} />
  return changes.length > 0 ? <Changed {...props} changes={changes} /> : <NothingChanged branchId={props.branchId} />
}

function NothingChanged({ branchId }: { branchId: BranchId | null }): ReactNode {
  return (
    <>
      <ChangesHeader branchId={branchId} changes={[]} onOpen={() => undefined} />
      {branchId && <ApplyHistory branchId={branchId} />}
      {branchId && <DeliveryHistory branchId={branchId} />}
      {branchId && <CheckoutList branchId={branchId} />}
      {branchId && <OnlyInGit branchId={branchId} />}
      <Empty icon={<FileDiff size={24} aria-hidden />} title={labels.emptyTitle} detail={labels.emptyDetail} />
    </>
  )
}

function OnlyInGit({ branchId }: { readonly branchId: BranchId }): ReactNode {
  return <LeftInGit left={useLeftInGit(branchId)} changes={[]} />
}

interface ChangedProps extends ListProps {
  readonly changes: readonly FileChange[]
}

function Changed({ branchId, changes, renderConflict, onOpen }: ChangedProps): ReactNode {
  const [selection, setSelection] = useState<ReadonlySet<VirtualPath>>(new Set())
  const left = useLeftInGit(branchId)
  const selected = selection.size === 0 ? [] : changes.map(({ path }) => path).filter((path) => selection.has(path))
  return (
    <>
      <ChangesHeader
        branchId={branchId}
        changes={changes}
        onOpen={(kind) => onOpen(kind, selected.length > 0 ? selected : null)}
      />
      <ApplyHistory branchId={branchId} />
      <DeliveryHistory branchId={branchId} />
      <CheckoutList branchId={branchId} />
      <LeftInGit left={left} changes={changes} />
      <ChangesBody
        branchId={branchId}
        changes={changes}
        repositories={left.repositories}
        renderConflict={renderConflict}
        selection={selection}
        onSelect={setSelection}
      />
    </>
  )
}
