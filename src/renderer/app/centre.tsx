import { FileText } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { ApprovalGroup } from '../approvals/approval-group.tsx'
import { ChatScreen } from '../chat/chat-screen.tsx'
import { FileScreen } from '../files/file-screen.tsx'
import { RegionBoundary } from '../parts/region-boundary.tsx'
import { KeyForm } from '../settings/key-form.tsx'
import { useApp, useCommand, useSession, useUpdateUi } from '../state/hooks/hooks.tsx'
import type { AppState } from '../state/store/app-state.ts'
import { activeBranches, activeRoot } from '../state/store/selectors.ts'
import { type BatchKey, type CentreTab, closeBatch, closeFile, closeHistory, tabKey } from '../state/store/ui-state.ts'
import { formatPercent } from '../strings/format.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { type TabItem, Tabs } from '../ui/controls/tabs.tsx'
import { BatchScreen, BranchesScreen, ChangesScreen, ConflictSidesView, HistoryScreen, TodoScreen } from './lazy.ts'

const labels = strings.shell
const panelId = 'centre-panel'

/** The tabs in the middle of the window, and the panel of the selected one. */
export function Centre(): ReactNode {
  const { tab, openFiles, batch, history } = useApp((state) => state.ui)
  const changes = useApp((state) => state.changes?.length ?? 0)
  const branches = useApp(openBranches)
  const todos = useApp((state) => activeRoot(state)?.todos.filter(({ status }) => status !== 'completed').length ?? 0)
  const updateUi = useUpdateUi()
  const fixed: readonly TabItem[] = [
    { id: 'chat', label: labels.tabChat },
    { id: 'changes', label: labels.tabChanges, count: changes },
    { id: 'branches', label: labels.tabBranches, count: branches },
    { id: 'board', label: strings.board.title, count: todos },
  ]
  const batches = batch
    ? [{ id: 'batch', label: labels.tabBatch, onClose: () => updateUi((ui) => closeBatch(ui)) }]
    : []
  const histories = history
    ? [{ id: 'history', label: strings.history.title, onClose: () => updateUi((ui) => closeHistory(ui)) }]
    : []
  const files = openFiles.map((file) => ({
    id: tabKey({ file }),
    label: file.slice(file.lastIndexOf('/') + 1),
    icon: <FileText size={14} aria-hidden />,
    onClose: () => updateUi((ui) => closeFile(ui, file)),
  }))
  const tabs = new Map<string, CentreTab>([
    ['chat', 'chat'],
    ['changes', 'changes'],
    ['branches', 'branches'],
    ['board', 'board'],
    ['batch', 'batch'],
    ['history', 'history'],
    ...openFiles.map((file) => [tabKey({ file }), { file }] as const),
  ])
  return (
    <>
      <Tabs
        label={labels.tabs}
        items={[...fixed, ...batches, ...histories, ...files]}
        selected={tabKey(tab)}
        panelId={panelId}
        onSelect={(id) => updateUi((ui) => ({ ...ui, tab: tabs.get(id) ?? 'chat' }))}
      />
      <ReadingLine />
      <div
        role="tabpanel"
        id={panelId}
        data-region
        tabIndex={-1}
        aria-labelledby={`${panelId}-tab-${tabKey(tab)}`}
        className="flex min-h-0 flex-1 flex-col outline-none"
      >
        <Suspense fallback={<p className="p-4 text-muted">{strings.common.loading}</p>}>
          <RegionBoundary resetKey={tab}>
            <Pane tab={tab} batch={batch} />
          </RegionBoundary>
        </Suspense>
      </div>
    </>
  )
}

function openBranches(state: AppState): number {
  return activeBranches(state).filter((branch) => branch.parentId && branch.status === 'open').length
}

function Pane({ tab, batch }: { tab: CentreTab; batch: BatchKey | null }): ReactNode {
  if (typeof tab === 'object') return <FileScreen key={tab.file} path={tab.file} />
  if (tab === 'changes') return <ChangesScreen renderConflict={(props) => <ConflictSidesView {...props} />} />
  if (tab === 'branches') return <BranchesScreen />
  if (tab === 'board') return <TodoScreen />
  if (tab === 'history') return <HistoryScreen />
  if (tab === 'batch' && batch) return <BatchScreen key={batch.callId} batch={batch} />
  return (
    <ChatScreen
      approvals={(interrupt) => <ApprovalGroup interrupt={interrupt} />}
      keyForm={(onReady) => <KeyForm onReady={onReady} />}
      tryDemo={<TryDemoButton />}
    />
  )
}

/** Shows how much of a long journal has been read. Until the end, the screens show only a part of the history. */
function ReadingLine(): ReactNode {
  const reading = useApp((state) => state.reading)
  if (!reading) return null
  const share = reading.entries / reading.of
  return (
    <div
      role="progressbar"
      aria-label={labels.reading}
      aria-valuenow={Math.floor(share * 100)}
      className="relative shrink-0 border-line border-b px-3 py-1 text-muted text-xs tabular-nums"
    >
      {labels.readingShare(formatPercent(share))}
      <span aria-hidden className="absolute bottom-0 left-0 h-0.5 bg-accent" style={{ width: `${share * 100}%` }} />
    </div>
  )
}

function TryDemoButton(): ReactNode {
  const session = useSession()
  const opening = useCommand()
  return (
    <Button disabled={opening.busy} onClick={() => void opening.run(() => session.openProject({ kind: 'demo' }))}>
      {strings.home.demo}
    </Button>
  )
}
