import type { StoreApi } from 'zustand/vanilla'
import { type FamilyEntries, type ProjectOutline, stateOf } from '#shared/model/derived/outline.ts'
import type { Entry, EntryType } from '#shared/model/entry.ts'
import { type CoppiceEvent, isLive } from '#shared/model/event.ts'
import { familiesIn } from '#shared/model/fold/family.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import type { AppState, Reading } from '../store/app-state.ts'
import { joinFamily } from '../store/join-folds.ts'
import { shownThreadId } from '../store/selectors.ts'
import { createFamilyFold, type FamilyFold, nextTurn } from './family-fold.ts'

interface ReadOptions {
  readonly store: StoreApi<AppState>
  readonly outline: ProjectOutline
  /** Asks for a piece of a family's journal. */
  readonly read: (threadId: ThreadId, after: Sequence, limit: number) => Promise<FamilyEntries>
  /** Aborted when the project is closed. */
  readonly signal: AbortSignal
}

/** The families of a long journal, which a page reads when it needs them. */
export interface FamilyReader {
  /** Call with every event before it is folded. An event of a family that was not read makes it read. */
  take(events: readonly CoppiceEvent[]): void
  /** Reads all that is left, and asks again for what the host could not read. */
  readAll(): void
}

/** Entries that are asked for at once. Parsing them takes a few milliseconds. */
const atOnce = 2_000

/** The least part of a family that changes what is shown of its progress. */
const shownStep = 0.02

/** So many late entries may be folded at once when a family is joined. Entries that the window has not folded yet come too. */
const atEnd = 50

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
  /** Threads that do not exist or could not be read. They are asked for again only when a person chooses them again. */
  const refused = new Set<ThreadId>()
  let isReading = false

  for (const { id, parent = null } of outline.threads) {
    if (parent === null) unread.add(id)
    roots.set(id, parent === null ? id : (roots.get(parent.threadId) ?? parent.threadId))
  }
  const of = outline.read.length
  store.setState({
    project: stateOf(outline),
    unread: new Set(unread),
    reading: of > 0 ? { families: 0, of } : null,
  })

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
      if (signal.aborted) break
      showShare(null)
      if (store.getState().reading) store.setState({ reading: progress() })
    }
    isReading = false
  }

  /** Null once every family was read that the window begins with. */
  function progress(): Reading | null {
    const left = outline.read.filter((root) => wanted.includes(root))
    return left.length === 0 ? null : { families: of - left.length, of }
  }

  /** Tells the screens only of steps that a person sees, because each of them looks at the state whenever it changes. */
  function showShare(share: number | null): void {
    const { readShare } = store.getState()
    const isStep = share === null || readShare === null || Math.abs(share - readShare) >= shownStep
    if (isStep && share !== readShare) store.setState({ readShare: share })
  }

  /** How much of a family was read up to `next`. Its root thread is usually the one that ends last. */
  function shareOf(root: ThreadId, first: Sequence, next: Sequence): number {
    const end = store.getState().project.threads.get(root)?.lastSequence ?? 0
    return (next - first) / (Math.max(end, next + 1) - first)
  }

  async function readFamily(threadId: ThreadId): Promise<void> {
    const fold = createFamilyFold({
      upTo: () => store.getState().project.sequence,
      async readSource({ from }) {
        if (isRead(from)) return
        await readFamily(from)
        showShare(null)
      },
      sourceOf: ({ from }) => familiesIn(store.getState().project, [roots.get(from) ?? from], emptyProject),
      pause: nextTurn,
      signal,
    })
    const members = new Set<ThreadId>()
    let root = threadId
    let begins: Sequence | undefined
    let asked: Promise<FamilyEntries> | null = read(threadId, 0, atOnce)
    while (asked !== null) {
      const { entries, next, ...piece }: FamilyEntries = await asked
      if (signal.aborted) return
      root = piece.root
      // The next piece is on its way while this one is folded.
      asked = next === null ? null : read(threadId, next, atOnce)
      asked?.catch(() => undefined)
      for (const entry of entries) if (entry.type === 'thread.created') members.add(entry.threadId)
      await fold.add(entries)
      begins ??= entries[0]?.sequence
      if (next !== null && begins !== undefined && !signal.aborted) showShare(shareOf(root, begins, next))
    }
    for (let late = lateFor(fold, members); late.length > atEnd; late = lateFor(fold, members)) await fold.add(late)
    if (!signal.aborted) store.setState((state) => join(state, root, members, fold))
  }

  /** What happened in a family after the last entry that was read of it. */
  function lateFor(fold: FamilyFold, members: Set<ThreadId>): readonly Entry[] {
    return ofFamily(
      members,
      pending.filter(({ sequence }) => sequence > fold.last()),
    )
  }

  /** What the window has not folded yet will come to the joined family like to any other. */
  function join(state: AppState, root: ThreadId, members: Set<ThreadId>, fold: FamilyFold): Partial<AppState> {
    const family = fold.end(lateFor(fold, members))
    for (const id of members) roots.set(id, root)
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

  let shown: ThreadId | null = null
  const stop = store.subscribe((state) => {
    const last = shown
    shown = shownThreadId(state)
    if (shown === null) return
    if (shown !== last) refused.delete(shown)
    want(shown)
  })
  signal.addEventListener('abort', stop)
  void readWanted()
  return {
    take(events) {
      for (const event of events) if (!isLive(event)) takeEntry(event)
    },
    readAll() {
      refused.clear()
      for (const root of [...unread]) want(root)
    },
  }
}

/** Those of the entries that belong to a family. Adds the threads that begin with them to its members. */
function ofFamily(members: Set<ThreadId>, entries: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => {
    const { threadId } = entry
    if (entry.type === 'thread.created' && entry.parent && members.has(entry.parent.threadId)) members.add(threadId)
    return members.has(threadId)
  })
}
