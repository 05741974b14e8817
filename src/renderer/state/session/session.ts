import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import type { FamilyEntries, ProjectOutline } from '#shared/model/derived/outline.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { ProjectId, ThreadId } from '#shared/model/ids.ts'
import { type Client, connect, type OpenLink } from '../connection/connection.ts'
import { followEvents } from '../connection/follow-events.ts'
import { batchPerFrame, followFrames } from '../connection/frame-batch.ts'
import { createQueryCache, type QueryCache } from '../connection/query-cache.ts'
import { type ReadAhead, readAhead } from '../connection/read-ahead.ts'
import { refusalOf } from '../connection/refusal.ts'
import { nothingTyped, type Typing } from '../preferences/typing.ts'
import { type AppState, emptyFolds, foldEvents, initialState } from '../store/app-state.ts'
import { activeRoot } from '../store/selectors.ts'
import { type UiState, withFilesOf } from '../store/ui-state.ts'
import { followOpening } from './follow-opening.ts'
import { followOutside, takeInfo } from './follow-outside.ts'
import { type FamilyReader, readFamilies } from './read-families.ts'
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
   * window stays as it is. So it does when another project was asked for meanwhile. `onAsked` is called once the host is asked for its content. Rejects with the host's error.
   */
  openProject(source: ProjectSource, onAsked?: () => void): Promise<void>
  closeProject(): void
  refreshInfo(): Promise<void>
  /** Reads the threads of a long journal that nobody opened yet. `unread` shows how many are left. */
  readEverything(): void
  /** Lists the workspace's changes again after a failure. */
  reloadChanges(): void
  setProjectInfo(projectInfo: ProjectInfo): void
  updateUi(change: (ui: UiState) => UiState): void
}

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** What a window kept of a project: what was shown, and what was typed. */
export type RestoreProject = (projectId: ProjectId, ui: UiState) => { readonly ui: UiState } & Partial<Typing>

/** What the host says of a project at first: an outline of a long journal, or the events of a short one. */
interface Known {
  readonly outline: ProjectOutline | null
  readonly events: readonly CoppiceEvent[]
}

interface Beginning {
  readonly known: Promise<Known>
  readonly ahead: ReadAhead<readonly CoppiceEvent[]>
  readonly stream: (after: number) => Promise<AsyncIterable<readonly CoppiceEvent[]>>
  /** Resolves when the project is drawn with what is known of it by then. */
  readonly late: Promise<void>
}

/** Milliseconds before a family is asked for again, when the link broke. */
const retryDelay = 500

/** The longest time, in milliseconds, for which a project is not drawn because its content may come. */
const headStart = 400

/** Connects to the host and keeps the link alive; `open` opens one link. No project is open at first. */
export function createSession(open: () => Promise<OpenLink>, restore: RestoreProject = (_, ui) => ({ ui })): Session {
  const store = createStore<AppState>(() => initialState)
  const connection = connect({ open, sleep, onStatus: (status) => store.setState({ connection: status }) })
  const { client } = connection
  const nextFrame = followFrames(window)
  let following = new AbortController()
  /** The project that was asked for last. An earlier one that takes longer to open is not shown any more. */
  let latest: ProjectSource | null = null
  let families: FamilyReader | null = null

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

  /** Asks for what a project holds, before the page needs it. */
  function ask(projectId: ProjectId, threadId: ThreadId | null, signal: AbortSignal): Beginning {
    const stream = (after: number | null) => client.events.subscribe({ projectId, after }, { signal })
    // Null if it cannot be loaded. Then the stream of events reports the reason.
    const asked = client.events.outline({ projectId, threadId }, { signal }).catch(() => null)
    const ahead = readAhead(stream(null))
    const late = sleep(headStart)
    const known = asked.then(async (start) => {
      // With an outline there is enough to show, and the rest of a long journal takes its time.
      if (start === null || start.outline !== null || start.last === 0) {
        return { outline: start?.outline ?? null, events: [] }
      }
      const isLast = (events: readonly CoppiceEvent[]) => events.some(({ sequence }) => sequence >= start.last)
      const batches = await ahead.first(isLast, late).catch(() => [])
      return { outline: null, events: batches.flat() }
    })
    return { known, ahead, stream, late }
  }

  /** Shows what is known of a project, and follows what happens in it. */
  async function follow(
    projectId: ProjectId,
    { ahead, stream }: Beginning,
    { outline, events }: Known,
    signal: AbortSignal,
  ) {
    const show = batchPerFrame<CoppiceEvent>(
      (shown) => void (signal.aborted || store.setState((state) => foldEvents(state, shown))),
      nextFrame,
    )
    const read = async (threadId: ThreadId, after: number, limit: number): Promise<FamilyEntries> => {
      for (let isAgain = false; ; isAgain = true) {
        try {
          if (isAgain) {
            await connection.ready()
            signal.throwIfAborted()
            await client.projects.reopen({ projectId })
          }
          return await client.events.family({ projectId, threadId, after, limit }, { signal })
        } catch (error) {
          signal.throwIfAborted()
          // A host that has just started again does not have the project open.
          if (isAgain && refusalOf(error).code !== 'OFFLINE') throw error
          await sleep(retryDelay)
        }
      }
    }
    families = outline ? readFamilies({ store, outline, read, signal }) : null
    const reader = families
    if (events.length > 0) store.setState((state) => foldEvents(state, events))
    store.setState({ outlined: true })
    const onEvents = (batch: readonly CoppiceEvent[]): void => {
      reader?.take(batch)
      batch.forEach(show)
    }
    // The outline of a long journal stands for its entries.
    let first: ReadAhead<readonly CoppiceEvent[]> | null = outline ? null : ahead
    const subscribe = async (after: number): Promise<AsyncIterable<readonly CoppiceEvent[]>> => {
      const opened = first
      first = null
      if (opened) return opened.rest()
      await connection.ready()
      await client.projects.reopen({ projectId })
      return stream(after)
    }
    const lastSequence = (): number => store.getState().project.sequence
    await followEvents({ subscribe, lastSequence, onEvents, onProblem: () => undefined, sleep }, signal)
  }

  async function refreshInfo(): Promise<void> {
    takeInfo(store, await client.app.info())
  }

  const changes = watchChanges(store, client)
  const stopDrift = followDrift(store, client)
  const queries = createQueryCache(client)
  const stopOutside = followOutside({ store, client, queries, sleep })
  return {
    store,
    client,
    queries,
    async openProject(source, onAsked) {
      latest = source
      const isLatest = (): boolean => latest === source
      const projectInfo = await followOpening(openSource(source), {
        ...{ client, sleep },
        show: (opening) => isLatest() && store.getState().opening !== opening && store.setState({ opening }),
      })
      if (!isLatest() || (await isShownElsewhere(projectInfo)) || !isLatest()) return
      const { id } = projectInfo
      following.abort()
      following = new AbortController()
      const { ui: kept, ...typed } = restore(id, fresh(store.getState().ui))
      const threadId = kept.thread.kind === 'thread' ? kept.thread.id : null
      const { signal } = following
      const beginning = ask(id, threadId, signal)
      onAsked?.()
      // Drawing the project empty, and then again with its thread, would take longer than this.
      const known = await Promise.race([beginning.known, beginning.late])
      if (signal.aborted) return
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
      const begin = (what: Known) => void (signal.aborted || follow(id, beginning, what, signal))
      // In the same turn, so that the page draws once.
      if (known) begin(known)
      else void beginning.known.then(begin)
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
    readEverything: () => families?.readAll(),
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
    unread: new Set<ThreadId>(),
    outlined: true,
    changes: null,
    changesProblem: null,
    ...nothingTyped,
  }
}
