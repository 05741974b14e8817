import type { ProjectId } from '#shared/model/ids.ts'
import type { ProjectSource } from '../session/session.ts'
import type { UiState } from '../store/ui-state.ts'

type Kept = Pick<UiState, 'thread' | 'tab' | 'openFiles' | 'branch' | 'batch' | 'history'>

const keyOf = (id: ProjectId): string => `coppice-view ${id}`

/** Keeps what is looked at in a project, so that a reload shows it again. */
export function saveUiState(storage: Storage, id: ProjectId, ui: UiState): void {
  const { thread, tab, openFiles, branch, batch, history } = ui
  storage.setItem(keyOf(id), JSON.stringify({ thread, tab, openFiles, branch, batch, history } satisfies Kept))
}

export function restoreUiState(storage: Storage, id: ProjectId, ui: UiState): UiState {
  const saved = storage.getItem(keyOf(id))
  return saved === null ? ui : { ...ui, ...(JSON.parse(saved) as Kept) }
}

const key = 'coppice-project'

/** What this tab or window had open, so that a reload leads back to it. */
export function rememberProject(storage: Storage, id: ProjectId): void {
  storage.setItem(key, id)
}

export function forgetProject(storage: Storage): void {
  storage.removeItem(key)
}

export function readProject(storage: Storage): ProjectSource | null {
  const projectId = storage.getItem(key)
  return projectId === null ? null : { kind: 'known', projectId: projectId as ProjectId }
}
