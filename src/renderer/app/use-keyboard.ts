import { useEffect } from 'react'
import { approvalModes } from '#shared/model/thread.ts'
import { useSession } from '../state/hooks/hooks.tsx'
import { commandOf, isMac, type KeyCommand } from '../state/preferences/keymap.ts'
import type { Session } from '../state/session/session.ts'
import { walkApprovals } from '../state/store/approval-walk.ts'
import { activeThread } from '../state/store/selectors.ts'
import { askForFolder, type CentreTab, startThread, toggleSide } from '../state/store/ui-state.ts'
import { isTyping } from '../ui/react/keys.ts'

/** Windows at least this wide show the sides beside the centre. */
export const sidebarFits = '(min-width: 760px)'
const inspectorFits = {
  beside: '(min-width: 1000px)',
  // From 1600 px on, the chat stands beside the list of branches.
  besideBranches: '(min-width: 1440px) and (max-width: 1599px), (min-width: 2200px)',
  besideReview: '(min-width: 2200px)',
} as const

/** The windows that show the inspector beside the centre. A review needs the room for itself. */
export function inspectorFitsBeside(tab: CentreTab): string {
  if (tab === 'branches') return inspectorFits.besideBranches
  return tab === 'changes' ? inspectorFits.besideReview : inspectorFits.beside
}

function isNarrow(query: string): boolean {
  return !window.matchMedia(query).matches
}

/** Handles the keys that work everywhere. */
export function useKeyboard(): void {
  const session = useSession()
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      const command = commandOf(event, isMac, isTyping(event.target))
      if (!command || event.defaultPrevented) return
      event.preventDefault()
      runCommand(session, command)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [session])
}

const actions: Record<KeyCommand, (session: Session) => unknown> = {
  palette: ({ updateUi }) => updateUi((ui) => ({ ...ui, overlay: 'palette' })),
  file: ({ updateUi }) => updateUi((ui) => ({ ...ui, overlay: 'files' })),
  keys: ({ updateUi }) => updateUi((ui) => ({ ...ui, overlay: 'keys' })),
  open: ({ updateUi }) => updateUi(askForFolder),
  newThread: ({ updateUi }) => updateUi(startThread),
  sidebar: ({ updateUi }) => updateUi((ui) => toggleSide(ui, 'sidebar', isNarrow(sidebarFits))),
  inspector: ({ updateUi }) => updateUi((ui) => toggleSide(ui, 'inspector', isNarrow(inspectorFitsBeside(ui.tab)))),
  bottom: ({ updateUi }) => updateUi((ui) => ({ ...ui, bottom: !ui.bottom })),
  terminal: ({ updateUi }) => updateUi((ui) => ({ ...ui, bottom: !ui.bottom })),
  nextApproval: (session) => goToApproval(session, 1),
  previousApproval: (session) => goToApproval(session, -1),
  mode: (session) => nextMode(session),
  nextRegion: () => focusNextRegion(),
}

/** Runs a command of a key or of the palette. Does nothing if the command needs a project and none is open. */
export function runCommand(session: Session, command: KeyCommand): void {
  const always: readonly KeyCommand[] = ['palette', 'keys', 'open', 'nextRegion']
  if (session.store.getState().projectInfo || always.includes(command)) actions[command](session)
}

function goToApproval(session: Session, step: 1 | -1): void {
  const focused = document.activeElement?.closest<HTMLElement>('[data-approval]')?.dataset.approval
  // A card that is about to get the focus is the current one already, however fast somebody walks.
  session.updateUi((ui) =>
    walkApprovals({ ...session.store.getState(), ui }, step, ui.focusCall ?? focused ?? ui.walkCall),
  )
}

async function nextMode(session: Session): Promise<void> {
  const state = session.store.getState()
  if (!state.projectInfo) return
  const thread = activeThread(state)
  const mode = thread?.approvalMode ?? state.ui.newMode ?? (await session.client.settings.get()).approvalMode
  const approvalMode = approvalModes[(approvalModes.indexOf(mode) + 1) % approvalModes.length]
  if (!approvalMode) return
  if (!thread) return session.updateUi((ui) => ({ ...ui, newMode: approvalMode }))
  await session.client.threads.configure({ projectId: state.projectInfo.id, threadId: thread.id, approvalMode })
}

/** Moves the focus to the next part of the window, in reading order. */
function focusNextRegion(): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')]
  const current = regions.findIndex((region) => region.contains(document.activeElement))
  regions[(current + 1) % regions.length]?.focus()
}
