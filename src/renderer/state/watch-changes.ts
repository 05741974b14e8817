import type { StoreApi } from 'zustand/vanilla'
import type { AppState } from './app-state.ts'
import type { Client } from './connection.ts'
import { workspaceOf } from './selectors.ts'

const settleMs = 120

/** Keeps the workspace's list of changed files in step with its journal: asked again a moment after it changed. */
export function watchChanges(store: StoreApi<AppState>, client: Client): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = ''

  async function load(): Promise<void> {
    const { project, ...state } = store.getState()
    const branchId = workspaceOf(store.getState())
    if (!project || !branchId) return
    try {
      const changes = await client.changes.list({ projectId: project.id, branchId })
      if (workspaceOf(store.getState()) === branchId) store.setState({ changes })
    } catch {
      if (state.changes === null) store.setState({ changes: [] })
    }
  }

  return store.subscribe((state) => {
    const branchId = workspaceOf(state)
    const key = branchId ? `${state.project?.id} ${branchId} ${state.timeline.versions.get(branchId) ?? 0}` : ''
    if (key === asked) return
    asked = key
    clearTimeout(timer)
    timer = setTimeout(() => void load(), settleMs)
  })
}
