import type { StoreApi } from 'zustand/vanilla'
import { type FamilyEntries, type ProjectOutline, stateOf } from '#shared/model/derived/outline.ts'
import type { Entry, EntryType } from '#shared/model/entry.ts'
import { type CoppiceEvent, isLive } from '#shared/model/event.ts'
import { familiesIn } from '#shared/model/fold/family.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import { type AppState, createEventFold, type EventFolds, emptyFolds } from '../store/app-state.ts'
import { joinFamily } from '../store/join-folds.ts'
import { shownThreadId } from '../store/selectors.ts'

interface ReadOptions {
  readonly store: StoreApi<AppState>
  readonly outline: ProjectOutline
  /** Asks for a piece of a family's journal. Rejects only when the project is closed. */
  readonly read: (threadId: ThreadId, after: Sequence, limit: number) => Promise<FamilyEntries>
  /** Aborted when the project is closed. */
  readonly signal: AbortSignal
}

/** The families of a long journal, which a page reads when it needs them. */
export interface FamilyReader {
  /** Call with every event before it is folded. An event of a family that was not read makes it read. */
  take(events: readonly CoppiceEvent[]): void
  /** Reads all that is left. */
  readAll(): void
}

/** Entries that are asked for at once. Folding them takes a few milliseconds. */
const atOnce = 2_000

/** Changes to how a thread appears in lists. The outline of a thread is enough to show them. */
const listTypes: ReadonlySet<EntryType> = new Set<EntryType>([
  'thread.titled',
  'thread.pinned',
  'thread.archived',
  'thread.deleted',
  'thread.restored',
])

/**
 * Shows the outline of a long journal, and reads the families that the window needs: the shown one, those in which
 * something goes on, and those that a person opens later. Each is folded by itself and takes the place of its outline.
 */
export function readFamilies({ store, outline, read, signal }: ReadOptions): FamilyReader {
  /** The root thread of each thread that the page knows. */
  const roots = new Map<ThreadId, ThreadId>()
  const unread = new Set<ThreadId>()
  /** Entries of families that were not read when they arrived. */
  let pending: readonly Entry[] = []
  const wanted: ThreadId[] = [...outline.read]
  /** Threads that do not exist. */
  const refused = new Set<ThreadId>()
  let isReading = false

  for (const { id, parent = null } of outline.threads) {
    if (parent === null) unread.add(id)
    roots.set(id, parent === null ? id : (roots.get(parent.threadId) ?? parent.threadId))
  }
  const of = outline.read.length
  store.setState({ project: stateOf(outline), unread: new Set(unread), reading: of > 0 ? { families: 0, of } : null })

  function isRead(threadId: ThreadId): boolean {
    const root = roots.get(threadId)
    return root !== undefined && !unread.has(root)
  }

  function want(threadId: ThreadId): void {
    if (isRead(threadId) || wanted.includes(threadId) || refused.has(threadId)) return
    wanted.push(threadId)
    void readWanted()
  }

  async function readWanted(): Promise<void> {
    if (isReading) return
    isReading = true
    for (let first = wanted[0]; first !== undefined && !signal.aborted; first = wanted[0]) {
      if (!isRead(first)) await readFamily(first).catch(() => refused.add(first))
      wanted.shift()
      if (store.getState().reading && !signal.aborted) store.setState({ reading: progress() })
    }
    isReading = false
  }

  /** Null once every family was read that the window begins with. */
  function progress(): AppState['reading'] {
    const left = outline.read.filter((root) => wanted.includes(root))
    return left.length === 0 ? null : { families: of - left.length, of }
  }

  async function readFamily(threadId: ThreadId): Promise<void> {
    const entries: Entry[] = []
    let root: ThreadId
    do {
      const piece = await read(threadId, entries.at(-1)?.sequence ?? 0, atOnce)
      root = piece.root
      entries.push(...piece.entries)
      if (piece.entries.length < atOnce) break
    } while (!signal.aborted)
    for (const source of sourcesOf(entries)) if (!isRead(source)) await readFamily(source)
    if (signal.aborted) return
    store.setState((state) => join(state, root, entries))
  }

  /** What the window has not folded yet will come to the joined family like to any other. */
  function join(state: AppState, root: ThreadId, read: readonly Entry[]): Partial<AppState> {
    const last = read.at(-1)?.sequence ?? 0
    const { members, entries } = ofFamily(root, [...read, ...pending.filter(({ sequence }) => sequence > last)])
    for (const id of members) roots.set(id, root)
    const sources = sourcesOf(entries).flatMap((id) => roots.get(id) ?? [])
    const family = foldFamily(
      { ...familiesIn(state.project, sources, emptyProject), sequence: 0 },
      entries.filter(({ sequence }) => sequence <= state.project.sequence),
    )
    pending = pending.filter(({ threadId }) => roots.get(threadId) !== root)
    unread.delete(root)
    return { ...joinFamily(state, root, family), unread: new Set(unread) }
  }

  function takeEntry(entry: Entry): void {
    const { threadId } = entry
    if (entry.type === 'thread.created' && !roots.has(threadId)) {
      const root = entry.parent === null ? threadId : roots.get(entry.parent.threadId)
      if (root !== undefined) roots.set(threadId, root)
    }
    if (entry.type === 'thread.copied' && !isRead(entry.from)) {
      unread.add(threadId)
      store.setState({ unread: new Set(unread) })
    }
    if (isRead(threadId)) return
    pending = [...pending, entry]
    if (!listTypes.has(entry.type) || !roots.has(threadId)) want(threadId)
  }

  const stop = store.subscribe((state) => {
    const shown = shownThreadId(state)
    if (shown !== null) want(shown)
  })
  signal.addEventListener('abort', stop)
  void readWanted()
  return {
    take(events) {
      for (const event of events) if (!isLive(event)) takeEntry(event)
    },
    readAll() {
      for (const root of [...unread]) want(root)
    },
  }
}

/** `sources` has the families of which threads of this one began as copies. */
function foldFamily(sources: ProjectState, entries: readonly Entry[]): EventFolds {
  return createEventFold()({ ...emptyFolds, project: sources }, entries)
}

/** The entries of one family, among those of others, and its threads. */
function ofFamily(
  root: ThreadId,
  all: readonly Entry[],
): { readonly members: ReadonlySet<ThreadId>; readonly entries: readonly Entry[] } {
  const members = new Set([root])
  const entries = all.filter((entry) => {
    const { threadId } = entry
    if (entry.type === 'thread.created' && entry.parent && members.has(entry.parent.threadId)) members.add(threadId)
    return members.has(threadId)
  })
  return { members, entries }
}

/** The threads of which threads among these entries began as copies. Only root threads are copied. */
function sourcesOf(entries: readonly Entry[]): readonly ThreadId[] {
  return entries.flatMap((entry) => (entry.type === 'thread.copied' ? [entry.from] : []))
}
