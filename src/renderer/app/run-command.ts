import { type WindowCommand, windowCommands } from '#shared/contract/window-commands.ts'
import { approvalModes } from '#shared/model/thread.ts'
import { focusMessageBox } from '../parts/message-box.ts'
import { refusalOf } from '../state/connection/refusal.ts'
import type { Session } from '../state/session/session.ts'
import { walkApprovals } from '../state/store/approval-walk.ts'
import { activeThread } from '../state/store/selectors.ts'
import {
  askForFolder,
  showChangesDialog,
  showHistory,
  showRewind,
  showSettings,
  startThread,
  toggleSide,
  type UiState,
} from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { toastNote, toastProblem } from '../ui/controls/toast.ts'
import { inspectorFitsBeside, sidebarFits } from './side-widths.ts'

/** Runs a command of a key, the palette or the menu. Does nothing if what the command needs is not open. */
export function runCommand(session: Session, command: WindowCommand): void {
  const state = session.store.getState()
  const { needs } = windowCommands[command]
  if (needs !== 'nothing' && !state.projectInfo) return
  if (needs === 'thread' && !activeThread(state)) return
  Promise.resolve(actions[command](session)).catch((error: unknown) => {
    toastProblem(strings.refusals.failed(windowCommands[command].label), refusalOf(error).message)
  })
}

const go =
  (change: (ui: UiState) => UiState) =>
  ({ updateUi }: Session): void =>
    updateUi(change)

const tab = (name: 'chat' | 'changes' | 'branches' | 'board') =>
  go((ui) => ({ ...ui, route: 'workspace', tab: name, drawer: 'none' }))

const actions: Readonly<Record<WindowCommand, (session: Session) => unknown>> = {
  palette: go((ui) => ({ ...ui, overlay: 'palette' })),
  file: go((ui) => ({ ...ui, overlay: 'files' })),
  keys: go((ui) => ({ ...ui, overlay: 'keys' })),
  open: go(askForFolder),
  newThread({ updateUi }) {
    updateUi(startThread)
    focusMessageBox()
  },
  sidebar: ({ updateUi }) => updateUi((ui) => toggleSide(ui, 'sidebar', isNarrow(sidebarFits))),
  inspector: ({ updateUi }) => updateUi((ui) => toggleSide(ui, 'inspector', isNarrow(inspectorFitsBeside(ui.tab)))),
  bottom: go((ui) => ({ ...ui, bottom: !ui.bottom })),
  terminal: go((ui) => ({ ...ui, bottom: !ui.bottom })),
  nextApproval: (session) => goToApproval(session, 1),
  previousApproval: (session) => goToApproval(session, -1),
  mode: chooseNextMode,
  nextRegion: focusNextRegion,
  stop: (session) => onThread(session, 'stop'),
  compact: (session) => onThread(session, 'compact'),
  rewind: go((ui) => showRewind(ui, null)),
  context: go((ui) => ({ ...ui, overlay: 'context' })),
  chat: tab('chat'),
  changes: tab('changes'),
  branches: tab('branches'),
  board: tab('board'),
  exportPatch: go((ui) => showChangesDialog(ui, 'export')),
  deliver: go((ui) => showChangesDialog(ui, 'deliver')),
  apply: go((ui) => showChangesDialog(ui, 'apply')),
  history: go(showHistory),
  folders: go((ui) => ({ ...ui, overlay: 'folders' })),
  newWindow: ({ client }) => client.window.open(),
  settings: go((ui) => ({ ...ui, route: 'settings' })),
  installCommand,
  checkUpdates({ updateUi, client }) {
    updateUi((ui) => showSettings(ui, 'about'))
    return client.updates.check()
  },
  about: go((ui) => showSettings(ui, 'about')),
}

function isNarrow(query: string): boolean {
  return !window.matchMedia(query).matches
}

function goToApproval(session: Session, step: 1 | -1): void {
  const focused = document.activeElement?.closest<HTMLElement>('[data-approval]')?.dataset.approval
  // A card that is about to get the focus is the current one already, however fast somebody walks.
  session.updateUi((ui) =>
    walkApprovals({ ...session.store.getState(), ui }, step, ui.focusCall ?? focused ?? ui.walkCall),
  )
}

async function chooseNextMode(session: Session): Promise<void> {
  const state = session.store.getState()
  if (!state.projectInfo) return
  const thread = activeThread(state)
  const mode = thread?.approvalMode ?? state.ui.newMode ?? (await session.client.settings.get()).approvalMode
  const approvalMode = approvalModes[(approvalModes.indexOf(mode) + 1) % approvalModes.length]
  if (!approvalMode) return
  if (!thread) return session.updateUi((ui) => ({ ...ui, newMode: approvalMode }))
  await session.client.threads.configure({ projectId: state.projectInfo.id, threadId: thread.id, approvalMode })
}

async function onThread({ client, store }: Session, act: 'stop' | 'compact'): Promise<void> {
  const { projectInfo } = store.getState()
  const thread = activeThread(store.getState())
  if (projectInfo && thread) await client.threads[act]({ projectId: projectInfo.id, threadId: thread.id })
}

async function installCommand({ client }: Session): Promise<void> {
  const { path, next } = await client.app.installCommand()
  toastNote(strings.about.installed(path, next))
}

/** Moves the focus to the next part of the window, in reading order. */
function focusNextRegion(): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')]
  const current = regions.findIndex((region) => region.contains(document.activeElement))
  regions[(current + 1) % regions.length]?.focus()
}
