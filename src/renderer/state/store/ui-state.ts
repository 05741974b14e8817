import type { BranchId, MessageId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

type Route = 'home' | 'workspace' | 'settings'
export type SettingsSection =
  | 'models'
  | 'permissions'
  | 'agents'
  | 'skills'
  | 'mcp'
  | 'memory'
  | 'storage'
  | 'appearance'
  | 'keyboard'
  | 'notifications'
  | 'transfer'
  | 'doctor'

/** `auto` shows the thread that was touched last. */
type ThreadChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'new' }
  | { readonly kind: 'thread'; readonly id: ThreadId }

export type CentreTab = 'chat' | 'changes' | 'branches' | 'batch' | 'history' | { readonly file: VirtualPath }

/** The call of a batch. */
export interface BatchKey {
  readonly threadId: ThreadId
  readonly callId: ToolCallId
}

/** What the person chose to look at. */
export interface ViewState {
  readonly route: Route
  readonly settingsSection: SettingsSection
  /** The memory that is open in the settings; null for the list of them. */
  readonly memory: string | null
  readonly thread: ThreadChoice
  /** The approval mode that the next thread begins with; null for that of the settings. */
  readonly newMode: ApprovalMode | null
  readonly tab: CentreTab
  readonly openFiles: readonly VirtualPath[]
  readonly branch: BranchId | null
  /** The batch that has a tab. */
  readonly batch: BatchKey | null
  /** The history has a tab. */
  readonly history: boolean
  /** The file whose changes are shown; null for the first. */
  readonly changedFile: VirtualPath | null
  readonly sidebar: boolean
  readonly inspector: boolean
  /** The side that lies over the centre where the window is too narrow to stand beside it. */
  readonly drawer: 'none' | 'sidebar' | 'inspector'
  readonly bottom: boolean
  readonly overlay: 'none' | 'palette' | 'files' | 'keys' | 'context' | 'rewind'
  /** The checkpoint that is chosen when the list of them opens; null for the latest. */
  readonly rewindTo: Sequence | null
  /** The dialog that opens over the changes. */
  readonly changesDialog: 'export' | 'apply' | null
  /** The call whose approval card takes the focus once it is on screen. */
  readonly focusCall: ToolCallId | null
  /** The message that takes the focus once it is on screen. */
  readonly focusMessage: MessageId | null
}

export const initialView: ViewState = {
  route: 'home',
  settingsSection: 'models',
  memory: null,
  thread: { kind: 'auto' },
  newMode: null,
  tab: 'chat',
  openFiles: [],
  branch: null,
  batch: null,
  history: false,
  changedFile: null,
  sidebar: true,
  inspector: true,
  drawer: 'none',
  bottom: false,
  overlay: 'none',
  rewindTo: null,
  changesDialog: null,
  focusCall: null,
  focusMessage: null,
}

export function openFile(view: ViewState, file: VirtualPath): ViewState {
  const openFiles = view.openFiles.includes(file) ? view.openFiles : [...view.openFiles, file]
  return { ...view, route: 'workspace', openFiles, tab: { file }, drawer: 'none' }
}

export function closeFile(view: ViewState, file: VirtualPath): ViewState {
  const openFiles = view.openFiles.filter((open) => open !== file)
  const shown = typeof view.tab === 'object' && view.tab.file === file
  return { ...view, openFiles, tab: shown ? 'chat' : view.tab }
}

export function showThread(view: ViewState, id: ThreadId): ViewState {
  return { ...view, route: 'workspace', thread: { kind: 'thread', id }, newMode: null, tab: 'chat', drawer: 'none' }
}

export function showApproval(view: ViewState, id: ThreadId, callId: ToolCallId): ViewState {
  return { ...showThread(view, id), focusCall: callId }
}

export function showMessage(view: ViewState, id: ThreadId, messageId: MessageId): ViewState {
  return { ...showThread(view, id), focusMessage: messageId }
}

/** Shows or hides a side; `over` when it can only lie over the centre. */
export function toggleSide(view: ViewState, side: 'sidebar' | 'inspector', over: boolean): ViewState {
  if (over) return { ...view, drawer: view.drawer === side ? 'none' : side }
  return { ...view, [side]: !view[side] }
}

export function startThread(view: ViewState): ViewState {
  return { ...view, route: 'workspace', thread: { kind: 'new' }, newMode: null, tab: 'chat', drawer: 'none' }
}

export function showBranch(view: ViewState, branch: BranchId): ViewState {
  return { ...view, route: 'workspace', tab: 'branches', branch, drawer: 'none' }
}

export function showBatch(view: ViewState, batch: BatchKey): ViewState {
  return { ...view, route: 'workspace', tab: 'batch', batch, drawer: 'none' }
}

export function showRewind(view: ViewState, to: Sequence | null): ViewState {
  return { ...view, overlay: 'rewind', rewindTo: to }
}

/** One memory, or the list of them. */
export function showMemory(view: ViewState, memory: string | null): ViewState {
  return { ...view, route: 'settings', settingsSection: 'memory', memory }
}

export function showChangesDialog(view: ViewState, changesDialog: 'export' | 'apply'): ViewState {
  return { ...view, route: 'workspace', tab: 'changes', drawer: 'none', changesDialog }
}

export function closeBatch(view: ViewState): ViewState {
  return { ...view, batch: null, tab: view.tab === 'batch' ? 'chat' : view.tab }
}

export function showHistory(view: ViewState): ViewState {
  return { ...view, route: 'workspace', tab: 'history', history: true, drawer: 'none' }
}

export function closeHistory(view: ViewState): ViewState {
  return { ...view, history: false, tab: view.tab === 'history' ? 'chat' : view.tab }
}

export function tabKey(tab: CentreTab): string {
  return typeof tab === 'string' ? tab : `file:${tab.file}`
}
