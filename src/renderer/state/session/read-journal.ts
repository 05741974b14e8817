import type { StoreApi } from 'zustand/vanilla'
import type { CoppiceEvent } from '#shared/model/event.ts'
import { type ProjectOutline, stateOf } from '#shared/model/outline.ts'
import { type AppState, createEventFold, emptyFolds } from '../store/app-state.ts'

/**
 * Shows the outline of a long journal and folds its entries beside it as they arrive. Drawing what every few of them make
 * would take most of the time, and show one thread after the other as the last that was touched. Answers with the
 * events that come after.
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

/** By a hundredth, which is what is shown. */
function isFurther(before: number, now: number, of: number): boolean {
  return Math.floor((before / of) * 100) < Math.floor((now / of) * 100)
}
