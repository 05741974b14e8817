import type { StoreApi } from 'zustand/vanilla'
import type { AppState } from './app-state.ts'
import type { Client } from './connection.ts'
import { workspaceOf } from './selectors.ts'

/** Has the host compare the workspace that is open with the disk and follow it; what it finds comes as events. */
export function followDrift(store: StoreApi<AppState>, client: Client): () => void {
  let asked = ''
  return store.subscribe((state) => {
    const branchId = workspaceOf(state)
    const { project, connection } = state
    const key = project && branchId && connection === 'connected' ? `${project.id} ${branchId}` : ''
    if (key === asked) return
    asked = key
    // A comparison that fails leaves the files unmarked; edits and applies compare for themselves.
    if (project && branchId && key) client.changes.drift({ projectId: project.id, branchId }).catch(() => undefined)
  })
}
