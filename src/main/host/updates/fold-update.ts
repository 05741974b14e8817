import { assertNever } from '#shared/base/assert-never.ts'
import type { NewVersion, UpdateProblem, UpdateState } from '#shared/contract/views/updates.ts'

export type UpdateEvent =
  | { readonly type: 'asked' }
  | { readonly type: 'none'; readonly at: number }
  | { readonly type: 'found'; readonly found: NewVersion }
  | { readonly type: 'received'; readonly share: number }
  | { readonly type: 'downloaded' }
  | { readonly type: 'wanted'; readonly working: number }
  | { readonly type: 'unwanted' }
  | { readonly type: 'failed'; readonly problem: UpdateProblem; readonly detail: string }

/**
 * The state after an event. An event that makes no sense in a state leaves it: answers may come late, and a person may
 * press twice.
 */
export function foldUpdate(state: UpdateState, event: UpdateEvent): UpdateState {
  const found = versionIn(state)
  switch (event.type) {
    case 'asked':
      return mayAsk(state) ? { kind: 'checking' } : state
    case 'none':
      return state.kind === 'checking' ? { kind: 'current', checkedAt: event.at } : state
    case 'found':
      return state.kind === 'checking' ? { kind: 'downloading', found: event.found, share: 0 } : state
    case 'received':
      return state.kind === 'downloading' ? { ...state, share: Math.max(state.share, bounded(event.share)) } : state
    case 'downloaded':
      return state.kind === 'downloading' ? { kind: 'ready', found: state.found } : state
    case 'wanted':
      if ((state.kind !== 'ready' && state.kind !== 'waiting') || !found) return state
      return event.working > 0 ? { kind: 'waiting', found, working: event.working } : { kind: 'installing', found }
    case 'unwanted':
      return state.kind === 'waiting' ? { kind: 'ready', found: state.found } : state
    case 'failed': {
      if (state.kind === 'managed') return state
      return { kind: 'failed', problem: event.problem, detail: event.detail, found }
    }
    default:
      return assertNever(event)
  }
}

/** True when a new check loses nothing. A downloaded version waits for the person. */
export function mayAsk({ kind }: UpdateState): boolean {
  return kind === 'current' || kind === 'failed'
}

function versionIn(state: UpdateState): NewVersion | null {
  return 'found' in state ? state.found : null
}

function bounded(share: number): number {
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0
}
