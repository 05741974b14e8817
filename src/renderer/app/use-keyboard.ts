import { useEffect } from 'react'
import { approvalModes } from '#shared/model/thread.ts'
import { useSession } from '../state/hooks.tsx'
import { commandOf, type KeyCommand } from '../state/keymap.ts'
import { activeThread, openInterrupts, undecided } from '../state/selectors.ts'
import type { Session } from '../state/session.ts'
import { showApproval, startThread, toggleSide } from '../state/view.ts'

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Widths from which the sides stand beside the centre. */
export const sidebarFits = '(min-width: 760px)'
export const inspectorFits = '(min-width: 1000px)'

function isNarrow(query: string): boolean {
  return !window.matchMedia(query).matches
}

/** Keys that work everywhere. */
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

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  )
}

export function runCommand(session: Session, command: KeyCommand): void {
  const { updateView } = session
  switch (command) {
    case 'palette':
      return updateView((view) => ({ ...view, overlay: 'palette' }))
    case 'file':
      return updateView((view) => ({ ...view, overlay: 'files' }))
    case 'keys':
      return updateView((view) => ({ ...view, overlay: 'keys' }))
    case 'open':
      return session.closeProject()
    case 'newThread':
      return updateView(startThread)
    case 'sidebar':
      return updateView((view) => toggleSide(view, 'sidebar', isNarrow(sidebarFits)))
    case 'inspector':
      return updateView((view) => toggleSide(view, 'inspector', isNarrow(inspectorFits)))
    case 'bottom':
    case 'terminal':
      return updateView((view) => ({ ...view, bottom: !view.bottom }))
    case 'nextApproval':
      return goToApproval(session, 1)
    case 'previousApproval':
      return goToApproval(session, -1)
    case 'mode':
      return void nextMode(session)
    case 'nextRegion':
      return focusNextRegion()
  }
}

function goToApproval(session: Session, step: 1 | -1): void {
  const state = session.store.getState()
  const waiting = openInterrupts(state).flatMap((interrupt) => {
    const thread = state.journal.threads.get(interrupt.threadId)
    return thread
      ? undecided(thread, interrupt).map((request) => ({ threadId: thread.id, callId: request.callId }))
      : []
  })
  if (waiting.length === 0) return
  const focused = document.activeElement?.closest<HTMLElement>('[data-approval]')?.dataset.approval
  const current = waiting.findIndex(({ callId }) => callId === focused)
  const start = current < 0 && step < 0 ? 0 : current
  const next = waiting[(start + step + waiting.length) % waiting.length]
  if (next) session.updateView((view) => showApproval(view, next.threadId, next.callId))
}

async function nextMode(session: Session): Promise<void> {
  const state = session.store.getState()
  const thread = activeThread(state)
  if (!thread || !state.project) return
  const approvalMode = approvalModes[(approvalModes.indexOf(thread.approvalMode) + 1) % approvalModes.length]
  if (!approvalMode) return
  await session.client.threads.configure({ projectId: state.project.id, threadId: thread.id, approvalMode })
}

/** F6 goes through the parts of the window in reading order. */
function focusNextRegion(): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')]
  const current = regions.findIndex((region) => region.contains(document.activeElement))
  regions[(current + 1) % regions.length]?.focus()
}
