import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { ProjectId, ThreadId } from '#shared/model/ids.ts'
import { type Client, connect, type OpenLink } from '../connection/connection.ts'
import { followEvents } from '../connection/follow-events.ts'
import { batchPerFrame, nextFrame } from '../connection/frame-batch.ts'
import { createQueryCache, type QueryCache } from '../connection/query-cache.ts'
import { nothingTyped, type Typing } from '../preferences/typing.ts'
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
  /**
   * Opens a project and follows its events. On the desktop, a project that another window shows stays there, and this
   * window stays as it is. Rejects with the host's error.
   */
  openProject(source: ProjectSource): Promise<void>
  closeProject(): void
  refreshInfo(): Promise<void>
  /** Lists the workspace's changes again after a failure. */
  reloadChanges(): void
  setProjectInfo(projectInfo: ProjectInfo): void
  updateUi(change: (ui: UiState) => UiState): void
}

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** What a window kept of a project: what was shown, and what was typed. */
export type RestoreProject = (projectId: ProjectId, ui: UiState) => { readonly ui: UiState } & Partial<Typing>

/** Connects to the host and keeps the link alive; `open` opens one link. No project is open at first. */
export function createSession(open: () => Promise<OpenLink>, restore: RestoreProject = (_, ui) => ({ ui })): Session {
  const store = createStore<AppState>(() => initialState)
  const connection = connect({ open, sleep, onStatus: (status) => store.setState({ connection: status }) })
  const { client } = connection
  let following = new AbortController()

  function openSource(source: ProjectSource): Promise<ProjectInfo> {
    if (source.kind === 'folder') return client.projects.open({ path: source.path })
    if (source.kind === 'known') return client.projects.reopen({ projectId: source.projectId })
    return source.kind === 'demo' ? client.projects.openDemo() : client.projects.openScratch()
  }

  /** True when another window of the desktop app shows the project and came to the front. */
  async function isShownElsewhere({ id, path, name }: ProjectInfo): Promise<boolean> {
    if (store.getState().info?.shell !== 'desktop') return false
    return (await client.window.showProject({ project: { projectId: id, path, name } })).isElsewhere
  }

  /** Asks for the events of a project, and follows them once `shown` resolves. */
  async function follow(projectId: ProjectId, threadId: ThreadId | null, shown: Promise<void>, signal: AbortSignal) {
    const show = batchPerFrame<CoppiceEvent>(
      (events) => void (signal.aborted || store.setState((state) => foldEvents(state, events))),
      nextFrame,
    )
    const stream = (after: number) => client.events.subscribe({ projectId, after }, { signal })
    // Null if the outline cannot be loaded. Then the stream of events reports the reason.
    const asked = client.events.outline({ projectId, threadId }, { signal }).catch(() => null)
    let first: ReturnType<typeof stream> | null = stream(0)
    first.catch(() => undefined)
    const outline = await asked
    await shown
    if (signal.aborted) return
    const take = outline ? readJournal(store, outline) : (events: readonly CoppiceEvent[]) => events
    store.setState({ outlined: true })
    const subscribe = async (after: number): Promise<AsyncIterable<readonly CoppiceEvent[]>> => {
      const opened = first
      first = null
      if (opened) return opened
      await connection.ready()
      await client.projects.reopen({ projectId })
      return stream(after)
    }
    const onEvents = (events: readonly CoppiceEvent[]): void => take(events).forEach(show)
    const lastSequence = (): number => store.getState().project.sequence
    await followEvents({ subscribe, lastSequence, onEvents, onProblem: () => undefined, sleep }, signal)
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
      if (await isShownElsewhere(projectInfo)) return
      const { id } = projectInfo
      following.abort()
      following = new AbortController()
      const { ui: kept, ...typed } = restore(id, fresh(store.getState().ui))
      const threadId = kept.thread.kind === 'thread' ? kept.thread.id : null
      const shown = Promise.withResolvers<void>()
      void follow(id, threadId, shown.promise, following.signal)
      // The questions are on their way before the page draws, so that the host answers meanwhile.
      await sleep(0)
      store.setState((state) => ({
        ...withoutProject(state),
        ...typed,
        // A project that is opened again still has what was typed in it.
        ...(state.projectInfo?.id === id && { answers: state.answers, rewrites: state.rewrites, edits: state.edits }),
        projectInfo,
        outlined: false,
        // A person who went to the settings while the project was opening stays there.
        ui: { ...state.ui, ...kept, route: state.ui.route === 'settings' ? 'settings' : 'workspace' },
      }))
      shown.resolve()
    },
    closeProject() {
      following.abort()
      store.setState((state) => ({ ...withoutProject(state), ui: { ...state.ui, route: 'home' } }))
      if (store.getState().info?.shell === 'desktop')
        client.window.showProject({ project: null }).catch(() => undefined)
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

/** What a project begins with when nothing was kept of it. */
function fresh(ui: UiState): UiState {
  return {
    ...ui,
    thread: { kind: 'auto' },
    tab: 'chat',
    openFiles: [],
    threadFiles: {},
    branch: null,
    changedFile: null,
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
