import type { ToolCallId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import type { AppState } from './app-state.ts'
import { activeFamily, activeRoot, activeThread, type WaitingCall, waitingCalls } from './selectors.ts'
import { showApproval, type UiState } from './ui-state.ts'

/**
 * Shows the next or previous waiting call, seen from the call `from`, of any agent at any depth. After the last
 * one it begins again. Returns the state unchanged when nothing waits.
 */
export function walkApprovals(state: AppState, step: 1 | -1, from: string | null): UiState {
  const waiting = waitingCalls(state)
  const at = waiting.findIndex(({ request }) => request.callId === from)
  const next = at < 0 ? firstCall(state, waiting, step) : waiting[(at + step + waiting.length) % waiting.length]
  return next ? showCall(state, next) : state.ui
}

/**
 * The call of the shown family that the person decides next: the one they walked to, or the first one. Null when nothing
 * of the family waits.
 */
export function callAtHand(state: AppState): ToolCallId | null {
  const root = activeRoot(state)?.id
  const waiting = waitingCalls(state)
  const isShown = ({ interrupt }: WaitingCall): boolean => rootThreadOf(state.project, interrupt.threadId) === root
  const walked = waiting.find(({ request }) => request.callId === state.ui.walkCall)
  return (walked && isShown(walked) ? walked : waiting.find(isShown))?.request.callId ?? null
}

/** A walk begins with the family that is shown. */
function firstCall(state: AppState, waiting: readonly WaitingCall[], step: 1 | -1): WaitingCall | undefined {
  const family = new Set(activeFamily(state).map(({ id }) => id))
  const own = waiting.filter(({ interrupt }) => family.has(interrupt.threadId))
  return (own.length > 0 ? own : waiting).at(step > 0 ? 0 : -1)
}

/**
 * Shows what waits after the calls `decided`, of the same agent or another one of its family. Returns the state
 * unchanged when nothing of the family waits.
 */
export function showNextApproval(state: AppState, decided: ReadonlySet<ToolCallId>): UiState {
  const family = new Set(activeFamily(state).map(({ id }) => id))
  const waiting = waitingCalls(state).filter(({ interrupt }) => family.has(interrupt.threadId))
  const last = waiting.findLastIndex(({ request }) => decided.has(request.callId))
  const ahead = [...waiting.slice(last + 1), ...waiting.slice(0, last + 1)]
  const next = ahead.find(({ request }) => !decided.has(request.callId))
  return next ? showCall(state, next) : state.ui
}

/** A main agent's chat holds the cards of its subagents, so it stays open for them. */
function showCall(state: AppState, { interrupt, request }: WaitingCall): UiState {
  const shown = activeThread(state)
  const isHere = shown?.parent === null && activeFamily(state).some(({ id }) => id === interrupt.threadId)
  return showApproval(state.ui, isHere ? shown.id : interrupt.threadId, request.callId)
}
