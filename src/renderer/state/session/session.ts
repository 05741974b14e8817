import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import type { ProjectOutline } from '#shared/model/derived/outline.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { ProjectId, ThreadId } from '#shared/model/ids.ts'
import { type Client, connect, type OpenLink } from '../connection/connection.ts'
import { followEvents } from '../connection/follow-events.ts'
import { batchPerFrame, nextFrame } from '../connection/frame-batch.ts'
import { createQueryCache, type QueryCache } from '../connection/query-cache.ts'
import { nothingTyped } from '../preferences/typing.ts'
import { type AppState, emptyFolds, foldEvents, initialState } from '../store/app-state.ts'
import { activeRoot } from '../store/selectors.ts'
import { type UiState, withFilesOf } from '../store/ui-state.ts'
import { followOutside } from './follow-outside.ts'
import { readJournal } from './read-journal.ts'
import { followDrift, watchChanges } from './workspace-watch.ts'

/** What to open: a folder, a project the host knows, the demo, or an empty scratch workspace. */
export type ProjectSource =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'known'; readonly projectId: ProjectId }
  | { readonly kind: 'demo' }
  | { readonly kind: 'scratch' }

/** Everything in the window except its screens: one store, one client, and the open project. */
export interface Session extends Disposable {
  readonly store: StoreApi<AppState>
  readonly client: Client
  /** The host's answers that screens read. */
  readonly queries: QueryCache
  /** Opens a project and follows its events. Rejects with the host's error. */
  openProject(source: ProjectSource): Promise<void>
  closeProject(): void
  refreshInfo(): Promise<void>
  /** Lists the workspace's changes again after a failure. */
  reloadChanges(): void
  setProjectInfo(projectInfo: ProjectInfo): void
  updateUi(change: (ui: UiState) => UiState): void
}

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Connects to the host and keeps the link alive; `open` opens one link. No project is open at first. */
export function createSession(open: () => Promise<OpenLink>): Session {
  const store = createStore<AppState>(() => initialState)
  const connection = connect({ open, sleep, onStatus: (status) => store.setState({ connection: status }) })
  const { client } = connection
  let following = new AbortController()

  function openSource(source: ProjectSource): Promise<ProjectInfo> {
    if (source.kind === 'folder') return client.projects.open({ path: source.path })
    if (source.kind === 'known') return client.projects.reopen({ projectId: source.projectId })
    return source.kind === 'demo' ? client.projects.openDemo() : client.projects.openScratch()
  }

  async function follow(projectInfo: ProjectInfo, signal: AbortSignal): Promise<void> {
    const show = batchPerFrame<CoppiceEvent>(
      (events) => void (signal.aborted || store.setState((state) => foldEvents(state, events))),
      nextFrame,
    )
    const outline = await outlineOf(projectInfo, signal)
    if (signal.aborted) return
    const take = outline ? readJournal(store, outline) : (events: readonly CoppiceEvent[]) => events
    store.setState({ outlined: true })
    let first = true
    const subscribe = async (after: number): Promise<AsyncIterable<readonly CoppiceEvent[]>> => {
      await connection.ready()
      if (!first) await client.projects.reopen({ projectId: projectInfo.id })
      first = false
      return client.events.subscribe({ projectId: projectInfo.id, after }, { signal })
    }
    const onEvents = (events: readonly CoppiceEvent[]): void => take(events).forEach(show)
    const lastSequence = (): number => store.getState().project.sequence
    await followEvents({ subscribe, lastSequence, onEvents, onProblem: () => undefined, sleep }, signal)
  }

  /** Null if the outline cannot be loaded. Then the stream of events reports the reason. */
  async function outlineOf({ id }: ProjectInfo, signal: AbortSignal): Promise<ProjectOutline | null> {
    const { thread } = store.getState().ui
    const threadId = thread.kind === 'thread' ? thread.id : null
    return client.events.outline({ projectId: id, threadId }, { signal }).catch(() => null)
  }

  async function refreshInfo(): Promise<void> {
    store.setState({ info: await client.app.info() })
  }

  const changes = watchChanges(store, client)
  const stopDrift = followDrift(store, client)
  const queries = createQueryCache(client)
  const stopOutside = followOutside({ store, client, queries, sleep })
  return {
    store,
    client,
    queries,
    async openProject(source) {
      const projectInfo = await openSource(source)
      following.abort()
      following = new AbortController()
      store.setState((state) => ({
        ...withoutProject(state),
        // A project that is opened again still has what was typed in it.
        ...(state.projectInfo?.id === projectInfo.id && {
          answers: state.answers,
          rewrites: state.rewrites,
          edits: state.edits,
        }),
        projectInfo,
        outlined: false,
        ui: {
          ...state.ui,
          // A person who went to the settings while the project was opening stays there.
          route: state.ui.route === 'settings' ? 'settings' : 'workspace',
          thread: { kind: 'auto' },
          tab: 'chat',
          openFiles: [],
          threadFiles: {},
          branch: null,
          changedFile: null,
        },
      }))
      void follow(projectInfo, following.signal)
    },
    closeProject() {
      following.abort()
      store.setState((state) => ({ ...withoutProject(state), ui: { ...state.ui, route: 'home' } }))
      // Home lists what was opened since. Without an answer it shows the list from before.
      refreshInfo().catch(() => undefined)
    },
    refreshInfo,
    reloadChanges: changes.reload,
    setProjectInfo: (projectInfo) => store.setState({ projectInfo }),
    updateUi: (change) =>
      store.setState((state) => {
        const ui = change(state.ui)
        return { ui: withFilesOf(ui, shownRoot(state), shownRoot({ ...state, ui })) }
      }),
    [Symbol.dispose]: () => {
      following.abort()
      changes.stop()
      stopDrift()
      stopOutside()
      connection[Symbol.dispose]()
    },
  }
}

/** The root thread that is shown; null for a new one. */
function shownRoot(state: AppState): ThreadId | null {
  return activeRoot(state)?.id ?? null
}

function withoutProject(state: AppState): AppState {
  return {
    ...state,
    startProblem: null,
    ...emptyFolds,
    projectInfo: null,
    reading: null,
    outlined: true,
    changes: null,
    changesProblem: null,
    ...nothingTyped,
  }
}
