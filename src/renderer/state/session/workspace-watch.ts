import type { StoreApi } from 'zustand/vanilla'
import type { Client } from '../connection/connection.ts'
import { refusalOf } from '../connection/refusal.ts'
import type { AppState } from '../store/app-state.ts'
import { workspaceOf } from '../store/selectors.ts'

const settleMs = 120

interface ChangesWatch {
  reload(): void
  stop(): void
}

/** Keeps the list of the workspace's changed files up to date. Loads it again shortly after the workspace changed. */
export function watchChanges(store: StoreApi<AppState>, client: Client): ChangesWatch {
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = ''
  let shown = ''

  async function load(): Promise<void> {
    const { projectInfo } = store.getState()
    const branchId = workspaceOf(store.getState())
    if (!projectInfo || !branchId) return
    const isCurrent = (): boolean => workspaceOf(store.getState()) === branchId
    try {
      const changes = await client.changes.list({ projectId: projectInfo.id, branchId })
      if (isCurrent()) store.setState({ changes, changesProblem: null })
    } catch (error) {
      if (isCurrent()) store.setState({ changesProblem: refusalOf(error) })
    }
  }

  const stop = store.subscribe((state) => {
    const branchId = workspaceOf(state)
    const workspace = branchId ? `${state.projectInfo?.id} ${branchId}` : ''
    const key = branchId ? `${workspace} ${state.timeline.versions.get(branchId) ?? 0}` : ''
    if (key === asked) return
    asked = key
    clearTimeout(timer)
    timer = setTimeout(() => void load(), settleMs)
    if (workspace === shown) return
    shown = workspace
    store.setState({ changes: null, changesProblem: null })
  })
  return {
    reload: () => void load(),
    stop: () => {
      clearTimeout(timer)
      stop()
    },
  }
}

/** Asks the host to compare the open workspace with the disk and to keep watching it. The results arrive as events. */
export function followDrift(store: StoreApi<AppState>, client: Client): () => void {
  let asked = ''
  return store.subscribe((state) => {
    const branchId = workspaceOf(state)
    const { projectInfo, connection } = state
    const key = projectInfo && branchId && connection === 'connected' ? `${projectInfo.id} ${branchId}` : ''
    if (key === asked) return
    asked = key
    // If this fails, the files stay unmarked. Edits and applies compare with the disk again themselves.
    if (projectInfo && branchId && key)
      client.changes.drift({ projectId: projectInfo.id, branchId }).catch(() => undefined)
  })
}
