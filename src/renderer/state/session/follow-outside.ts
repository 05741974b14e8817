import type { StoreApi } from 'zustand/vanilla'
import type { AppInfo, OutsideChange } from '#shared/contract/views/app.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { Client } from '../connection/connection.ts'
import type { QueryCache, QueryName } from '../connection/query-cache.ts'
import type { AppState } from '../store/app-state.ts'

/** Questions about what only live events tell. Some of these were missed while there was no connection. */
const untold: readonly QueryName[] = ['checks.ofBranches', 'checks.ofTree', 'checks.queue']

/** The questions whose answers may differ after a change. */
const affected: Readonly<Record<OutsideChange, readonly QueryName[]>> = {
  settings: ['settings.get', 'settings.text', 'extensions.list', 'extensions.slash', 'mcp.list', 'checks.list'],
  extensions: ['extensions.list', 'extensions.slash', 'mcp.list'],
  git: [],
}

interface FollowOptions {
  readonly store: StoreApi<AppState>
  readonly client: Client
  readonly queries: QueryCache
  readonly sleep: (milliseconds: number) => Promise<void>
}

const retryDelay = 2000

/** Keeps what is shown when nothing changed in it, because every part of the window would be drawn again. */
export function takeInfo(store: StoreApi<AppState>, info: AppInfo): void {
  if (!hasSameText(store.getState().info, info)) store.setState({ info })
}

function hasSameText(shown: object | null, read: object): boolean {
  return JSON.stringify(shown) === JSON.stringify(read)
}

/**
 * Follows what other programs change beside the journal, and asks the affected questions again. Returns a function
 * that stops it.
 */
export function followOutside({ store, client, queries, sleep }: FollowOptions): () => void {
  let followed: ProjectId | null | undefined
  let following = new AbortController()

  async function take(kind: OutsideChange): Promise<void> {
    queries.reloadAll(affected[kind])
    if (kind === 'settings') takeInfo(store, await client.app.info())
    else await readProject()
  }

  async function readProject(): Promise<void> {
    const { projectInfo } = store.getState()
    if (!projectInfo) return
    const read = await client.projects.reopen({ projectId: projectInfo.id })
    const { projectInfo: shown } = store.getState()
    if (shown?.id === read.id && !hasSameText(shown, read)) store.setState({ projectInfo: read })
  }

  async function follow(projectId: ProjectId | null, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const kind of await client.events.outside({ projectId }, { signal })) await take(kind)
      } catch {
        // Without the stream, the screens ask when they open.
      }
      if (!signal.aborted) await sleep(retryDelay)
    }
  }

  function look({ connection, projectInfo }: AppState): void {
    const project = connection === 'connected' ? (projectInfo?.id ?? null) : undefined
    if (project === followed) return
    const isBack = followed === undefined && project !== null
    followed = project
    following.abort()
    following = new AbortController()
    if (project === undefined) return
    if (isBack) queries.reloadAll(untold)
    void follow(project, following.signal)
  }

  look(store.getState())
  const stop = store.subscribe(look)
  return () => {
    following.abort()
    stop()
  }
}
