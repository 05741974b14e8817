import type { StoreApi } from 'zustand/vanilla'
import { type ProjectOutline, stateOf } from '#shared/model/derived/outline.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import { type AppState, createEventFold, emptyFolds } from '../store/app-state.ts'

/**
 * Shows the outline of a long journal while its entries arrive and are folded in the background. Rendering in between
 * would take most of the time and show one thread after the other as the latest. The returned function takes events,
 * and returns those that follow the outline.
 */
export function readJournal(
  store: StoreApi<AppState>,
  outline: ProjectOutline,
): (events: readonly CoppiceEvent[]) => readonly CoppiceEvent[] {
  const { last } = outline
  const fold = createEventFold()
  let folded = emptyFolds
  let isRead = false
  store.setState({ project: stateOf(outline), reading: { entries: 0, of: last } })
  return (events) => {
    if (isRead) return events
    folded = fold(folded, events)
    const { sequence } = folded.project
    isRead = sequence >= last
    if (isRead) store.setState({ ...folded, reading: null })
    else if (isFurther(store.getState().reading?.entries ?? 0, sequence, last))
      store.setState({ reading: { entries: sequence, of: last } })
    return []
  }
}

/** Whether the share read so far grew by a whole percent, the smallest step on screen. */
function isFurther(before: number, now: number, of: number): boolean {
  return Math.floor((before / of) * 100) < Math.floor((now / of) * 100)
}
