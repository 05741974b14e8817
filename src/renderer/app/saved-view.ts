import type { ProjectId } from '#shared/model/ids.ts'
import type { ViewState } from '../state/view.ts'

type Kept = Pick<ViewState, 'thread' | 'tab' | 'openFiles' | 'branch' | 'batch' | 'history'>

const keyOf = (id: ProjectId): string => `coppice-view ${id}`

/** Keeps what is looked at in a project, so that a reload shows it again. */
export function saveView(storage: Storage, id: ProjectId, view: ViewState): void {
  const { thread, tab, openFiles, branch, batch, history } = view
  storage.setItem(keyOf(id), JSON.stringify({ thread, tab, openFiles, branch, batch, history } satisfies Kept))
}

export function restoreView(storage: Storage, id: ProjectId, view: ViewState): ViewState {
  const saved = storage.getItem(keyOf(id))
  return saved === null ? view : { ...view, ...(JSON.parse(saved) as Kept) }
}
