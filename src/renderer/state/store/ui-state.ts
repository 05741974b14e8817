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
  | 'hooks'
  | 'memory'
  | 'usage'
  | 'setup'
  | 'checks'
  | 'storage'
  | 'appearance'
  | 'keyboard'
  | 'notifications'
  | 'imports'
  | 'transfer'
  | 'doctor'
  | 'about'

/** `auto` shows the thread that was active last. */
type ThreadChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'new' }
  | { readonly kind: 'thread'; readonly id: ThreadId }

export type CentreTab = 'chat' | 'changes' | 'branches' | 'board' | 'batch' | 'history' | { readonly file: VirtualPath }

export type MemoryScope = 'project' | 'user'

/** Names a batch by its call. */
export interface BatchKey {
  readonly threadId: ThreadId
  readonly callId: ToolCallId
}

export interface ReviewedFile {
  readonly branchId: BranchId
  readonly path: VirtualPath
}

/** Branches that are composed, as they are now or as they were after an entry, and the branch that gets the result. */
export interface ComposedBranches {
  readonly branches: readonly { readonly branchId: BranchId; readonly sequence: Sequence | null }[]
  readonly into: BranchId
}

/** The ways out of the workspace. */
export type ChangesDialog = 'export' | 'deliver' | 'apply'

/** The screens, tabs and dialogs that the person chose to look at. */
export interface UiState {
  readonly route: Route
  readonly settingsSection: SettingsSection
  /** The memory that is open in the settings; null for the list, empty for a new one. */
  readonly memory: string | null
  /** Whether `memory` belongs to the project or to all projects. */
  readonly memoryScope: MemoryScope
  readonly thread: ThreadChoice
  /** The approval mode of the next new thread; null for the one in the settings. */
  readonly newMode: ApprovalMode | null
  readonly tab: CentreTab
  readonly openFiles: readonly VirtualPath[]
  /** The open files of the other root threads, by thread. */
  readonly threadFiles: Readonly<Record<string, readonly VirtualPath[]>>
  /** The line to which the file of the tab scrolls, from 1; null for its start. */
  readonly fileLine: number | null
  readonly branch: BranchId | null
  /** The branches that stand side by side in place of a review; empty for none. */
  readonly compared: readonly BranchId[]
  /** The file that is open in the review of a branch; null for none. */
  readonly reviewedFile: ReviewedFile | null
  /** The composition that takes the place of the branches; null for none. */
  readonly composed: ComposedBranches | null
  /** The batch that has a tab; null for none. */
  readonly batch: BatchKey | null
  /** Whether the history has a tab. */
  readonly history: boolean
  /** The file whose changes are shown; null for the first one. */
  readonly changedFile: VirtualPath | null
  readonly sidebar: boolean
  readonly inspector: boolean
  /** The side that lies over the centre in a window too narrow for both. */
  readonly drawer: 'none' | 'sidebar' | 'inspector'
  readonly bottom: boolean
  /** What stands at the prompt of the person's next terminal, for them to run. Null for no such terminal. */
  readonly typed: string | null
  readonly overlay: 'none' | 'palette' | 'files' | 'keys' | 'context' | 'rewind' | 'folder' | 'folders'
  /** The checkpoint that is chosen when the list opens; null for the latest. */
  readonly rewindTo: Sequence | null
  /** The dialog that opens over the changes. */
  readonly changesDialog: ChangesDialog | null
  /** The call whose approval card takes the focus once it is shown. */
  readonly focusCall: ToolCallId | null
  /** The call at which the person is on the walk through everything that waits; null before the first step. */
  readonly walkCall: ToolCallId | null
  /** The message that takes the focus once it is shown. */
  readonly focusMessage: MessageId | null
}

export const initialUi: UiState = {
  route: 'home',
  settingsSection: 'models',
  memory: null,
  memoryScope: 'project',
  thread: { kind: 'auto' },
  newMode: null,
  tab: 'chat',
  openFiles: [],
  threadFiles: {},
  fileLine: null,
  branch: null,
  compared: [],
  reviewedFile: null,
  composed: null,
  batch: null,
  history: false,
  changedFile: null,
  sidebar: true,
  inspector: true,
  drawer: 'none',
  bottom: false,
  typed: null,
  overlay: 'none',
  rewindTo: null,
  changesDialog: null,
  focusCall: null,
  walkCall: null,
  focusMessage: null,
}

/** Opens the settings at a section. */
export function showSettings(ui: UiState, settingsSection: SettingsSection): UiState {
  return { ...ui, route: 'settings', settingsSection, memory: null, overlay: 'none' }
}

/** Opens a file in its own tab, or shows that tab if it is open already. `line` counts from 1. */
export function openFile(ui: UiState, file: VirtualPath, line: number | null = null): UiState {
  const openFiles = ui.openFiles.includes(file) ? ui.openFiles : [...ui.openFiles, file]
  return { ...ui, route: 'workspace', openFiles, fileLine: line, tab: { file }, drawer: 'none' }
}

/**
 * Each root thread has its own file tabs. Keeps those of the thread that was shown, and opens those of the one that is
 * shown now; null is a new thread. A thread that was never shown starts with the files of the new thread it began as.
 */
export function withFilesOf(ui: UiState, before: ThreadId | null, now: ThreadId | null): UiState {
  if (before === now) return ui
  const { [now ?? newThreadKey]: known, ...others } = ui.threadFiles
  const isFirst = known === undefined && before === null
  const openFiles = isFirst ? ui.openFiles : (known ?? [])
  const threadFiles = isFirst ? others : { ...others, [before ?? newThreadKey]: ui.openFiles }
  const isGone = typeof ui.tab === 'object' && !openFiles.includes(ui.tab.file)
  return { ...ui, openFiles, threadFiles, tab: isGone ? 'chat' : ui.tab }
}

const newThreadKey = 'new'

/** Closes a file's tab. The chat is shown if it was the selected one. */
export function closeFile(ui: UiState, file: VirtualPath): UiState {
  const openFiles = ui.openFiles.filter((open) => open !== file)
  const shown = typeof ui.tab === 'object' && ui.tab.file === file
  return { ...ui, openFiles, tab: shown ? 'chat' : ui.tab }
}

/** Shows the chat of a thread. */
export function showThread(ui: UiState, id: ThreadId): UiState {
  return { ...ui, route: 'workspace', thread: { kind: 'thread', id }, newMode: null, tab: 'chat', drawer: 'none' }
}

/** Opens branches to choose from, file by file and hunk by hunk. */
export function showCompose(ui: UiState, composed: ComposedBranches): UiState {
  return { ...ui, route: 'workspace', tab: 'branches', composed, drawer: 'none' }
}

/** Shows the chat of a thread, with the focus on the card of one call. */
export function showApproval(ui: UiState, id: ThreadId, callId: ToolCallId): UiState {
  return { ...showThread(ui, id), focusCall: callId, walkCall: callId }
}

/** Shows the chat of a thread, with the focus on one message. */
export function showMessage(ui: UiState, id: ThreadId, messageId: MessageId): UiState {
  return { ...showThread(ui, id), focusMessage: messageId }
}

/** Shows or hides a side. `over` is true in a narrow window, where the side lies over the centre. */
export function toggleSide(ui: UiState, side: 'sidebar' | 'inspector', over: boolean): UiState {
  if (over) return { ...ui, drawer: ui.drawer === side ? 'none' : side }
  return { ...ui, [side]: !ui[side] }
}

/** Shows an empty chat, whose first message begins a thread. */
export function startThread(ui: UiState): UiState {
  return { ...ui, route: 'workspace', thread: { kind: 'new' }, newMode: null, tab: 'chat', drawer: 'none' }
}

export function showBranch(ui: UiState, branch: BranchId): UiState {
  return { ...ui, route: 'workspace', tab: 'branches', branch, compared: [], drawer: 'none' }
}

/** Shows two or three branches side by side. */
export function showCompared(ui: UiState, compared: readonly BranchId[]): UiState {
  return { ...ui, route: 'workspace', tab: 'branches', branch: compared[0] ?? null, compared, drawer: 'none' }
}

/** More than three columns are too narrow for a line of code. */
export const mostCompared = 3

export function showBatch(ui: UiState, batch: BatchKey): UiState {
  return { ...ui, route: 'workspace', tab: 'batch', batch, drawer: 'none' }
}

/** Opens the list of checkpoints with one chosen; null chooses the latest. */
export function showRewind(ui: UiState, to: Sequence | null): UiState {
  return { ...ui, overlay: 'rewind', rewindTo: to }
}

/** Shows one memory; null shows the list. */
export function showMemory(ui: UiState, memory: string | null, memoryScope: MemoryScope = 'project'): UiState {
  return { ...ui, route: 'settings', settingsSection: 'memory', memory, memoryScope }
}

/** Shows the changes with one of their dialogs. */
export function showChangesDialog(ui: UiState, changesDialog: ChangesDialog): UiState {
  return { ...ui, route: 'workspace', tab: 'changes', drawer: 'none', changesDialog }
}

/** Closes the tab of the batch. The chat is shown if it was the selected one. */
export function closeBatch(ui: UiState): UiState {
  return { ...ui, batch: null, tab: ui.tab === 'batch' ? 'chat' : ui.tab }
}

export function showHistory(ui: UiState): UiState {
  return { ...ui, route: 'workspace', tab: 'history', history: true, drawer: 'none' }
}

/** Closes the tab of the history. The chat is shown if it was the selected one. */
export function closeHistory(ui: UiState): UiState {
  return { ...ui, history: false, tab: ui.tab === 'history' ? 'chat' : ui.tab }
}

/** Names a tab in the list of tabs. */
export function tabKey(tab: CentreTab): string {
  return typeof tab === 'string' ? tab : `file:${tab.file}`
}

/** Asks for a folder to open. The settings end, because they show no other dialog. */
export function askForFolder(ui: UiState): UiState {
  return { ...ui, overlay: 'folder', route: ui.route === 'settings' ? 'workspace' : ui.route }
}
