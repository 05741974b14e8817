import { FileText } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useRef } from 'react'
import { Group, Panel, useDefaultLayout } from 'react-resizable-panels'
import { formatPercent } from '#shared/text/format.ts'
import { ApprovalGroup } from '../approvals/approval-group.tsx'
import { ChatScreen } from '../chat/chat-screen.tsx'
import { FileScreen } from '../files/file-screen.tsx'
import { Divider } from '../parts/divider.tsx'
import { RegionBoundary } from '../parts/region-boundary.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { KeyForm } from '../settings/key-form.tsx'
import { useApp, useCommand, useSession, useUpdateUi } from '../state/hooks/hooks.tsx'
import { createLayoutStorage } from '../state/preferences/saved-window.ts'
import type { AppState } from '../state/store/app-state.ts'
import { activeBranches, activeRoot, workspaceOf } from '../state/store/selectors.ts'
import { type BatchKey, type CentreTab, closeBatch, closeFile, closeHistory, tabKey } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { type TabItem, Tabs } from '../ui/controls/tabs.tsx'
import { AriaElement } from '../ui/react/elements.tsx'
import { isFocusNowhere } from '../ui/react/focus.ts'
import { useMedia } from '../ui/react/observers.ts'
import {
  BatchScreen,
  BranchesScreen,
  ChangesScreen,
  ConflictSidesView,
  HistoryScreen,
  prepareReviewSoon,
  TodoScreen,
} from './lazy.ts'

const labels = strings.shell
const panelId = 'centre-panel'
const layouts = createLayoutStorage(localStorage)
/** Windows at least this wide show the chat beside the other tabs. */
const chatFitsBeside = '(min-width: 1600px)'

/** The tabs in the middle of the window, and the panel of the selected one. */
export function Centre(): ReactNode {
  const { tab, openFiles, batch, history } = useApp((state) => state.ui)
  const { store, queries } = useSession()
  const changed = useApp((state) => state.changes)
  const changes = changed?.length ?? 0
  useEffect(() => {
    if (!changed?.length) return
    const state = store.getState()
    const [projectId, branchId] = [state.projectInfo?.id, workspaceOf(state)]
    if (!projectId || !branchId) return
    return prepareReviewSoon({ queries, projectId, branchId, changes: changed })
  }, [changed, store, queries])
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
        allLabel={labels.allTabs}
        closeLabel={labels.closeTab}
        items={[...fixed, ...batches, ...histories, ...files]}
        selected={tabKey(tab)}
        panelId={panelId}
        onSelect={(id) => updateUi((ui) => ({ ...ui, tab: tabs.get(id) ?? 'chat' }))}
      />
      <ReadingLine />
      <Panes tab={tab} batch={batch} />
    </>
  )
}

interface PanesProps {
  readonly tab: CentreTab
  readonly batch: BatchKey | null
}

/** The panel of the selected tab. In a very wide window, the chat stays beside every other tab. */
function Panes({ tab, batch }: PanesProps): ReactNode {
  useFocusInPanel(tab)
  const isChat = tab === 'chat'
  const showsChat = useMedia(chatFitsBeside) || isChat
  const panels = [...(showsChat ? ['chat'] : []), ...(isChat ? [] : ['work'])]
  const layout = useDefaultLayout({ id: 'coppice-panes', panelIds: panels, storage: layouts })
  return (
    <Group orientation="horizontal" className="min-h-0 flex-1" {...layout}>
      {showsChat && (
        <Panel id="chat" defaultSize={620} minSize={isChat ? 280 : 420} groupResizeBehavior="preserve-pixel-size">
          <Frame tab="chat" selected={isChat}>
            <Pane tab="chat" batch={batch} />
          </Frame>
        </Panel>
      )}
      {showsChat && !isChat && <Divider label={labels.resizeChat} />}
      {!isChat && (
        <Panel id="work" minSize={280}>
          <Frame tab={tab} selected>
            <Pane tab={tab} batch={batch} />
          </Frame>
        </Panel>
      )}
    </Group>
  )
}

/**
 * Moves the focus into a panel that was opened by a button which is gone with the panel before, such as *Review
 * branches*. Waits for its rows, because a screen is loaded when it is first opened. *Changes* takes the focus itself.
 */
function useFocusInPanel(tab: CentreTab): void {
  const key = tabKey(tab)
  const before = useRef(key)
  useEffect(() => {
    const hasChanged = before.current !== key
    before.current = key
    const panel = document.getElementById(panelId)
    if (!hasChanged || key === 'chat' || key === 'changes' || !panel || !isFocusNowhere()) return
    const enter = (): boolean => {
      const row = panel.querySelector<HTMLElement>('[data-row][tabindex="0"]')
      row?.focus({ preventScroll: true })
      return row !== null
    }
    panel.focus({ preventScroll: true })
    if (enter()) return
    const watcher = new MutationObserver(() => {
      if (document.activeElement !== panel || enter()) watcher.disconnect()
    })
    watcher.observe(panel, { childList: true, subtree: true })
    return () => watcher.disconnect()
  }, [key])
}

interface FrameProps {
  readonly tab: CentreTab
  /** False for the chat beside the selected tab. */
  readonly selected: boolean
  readonly children: ReactNode
}

function Frame({ tab, selected, children }: FrameProps): ReactNode {
  const panel = { role: 'tabpanel', id: panelId, 'aria-labelledby': `${panelId}-tab-${tabKey(tab)}` } as const
  return (
    <AriaElement
      {...(selected ? panel : { role: 'region', 'aria-label': labels.tabChat })}
      data-region
      tabIndex={-1}
      className="flex h-full min-h-0 flex-1 flex-col outline-none"
    >
      <Suspense fallback={<Skeleton />}>
        <RegionBoundary resetKey={tab}>{children}</RegionBoundary>
      </Suspense>
    </AriaElement>
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

/** Shows how much was read of the threads with which a long journal begins, or of a large one that is opened later. */
function ReadingLine(): ReactNode {
  const share = useApp(({ reading, readShare }) =>
    reading === null ? readShare : (reading.families + (readShare ?? 0)) / reading.of,
  )
  if (share === null) return null
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
