import { describe, expect, it } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { outlineOf, outlineThread } from '#shared/model/derived/outline.ts'
import type { Entry } from '#shared/model/entry.ts'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import { type AppState, foldEvents, initialState } from '../store/app-state.ts'
import { agentReply, event, userMessage } from '../store/entries.testkit.ts'
import { isUnread } from '../store/selectors.ts'
import { showThread } from '../store/ui-state.ts'
import { readFamilies } from './read-families.ts'

const [one, two] = ['one', 'two'] as ThreadId[] as [ThreadId, ThreadId]

/** Two threads whose entries alternate, each with a title of its own and many replies. */
const story: readonly Entry[] = [one, two].flatMap((threadId, index) => [
  event(index + 1, threadCreated(`branch ${threadId}` as BranchId, { title: threadId }), threadId) as Entry,
])
for (let number = 0; number < 100; number += 1) {
  const threadId = number % 2 === 0 ? one : two
  const body = number % 10 < 2 ? userMessage(`u${number}`, 'Hello') : agentReply(`a${number}`, `Reply ${number}`)
  ;(story as Entry[]).push({ ...event(number + 3, body), threadId } as Entry)
}
const last = story.length

function whole(entries: readonly CoppiceEvent[]): AppState {
  return foldEvents(initialState, entries)
}

/** A window of a project with these entries, and a host that answers when it is let. */
function openWindow(entries: readonly Entry[] = story, active: readonly ThreadId[] = []) {
  const state = whole(entries).project
  const families = new Map(
    [one, two, 'three' as ThreadId].flatMap((id) => {
      const thread = state.threads.get(id)
      return thread
        ? [[id, { root: outlineThread(thread, false), spending: null, isActive: active.includes(id) }] as const]
        : []
    }),
  )
  const store = createStore<AppState>(() => ({ ...initialState, ui: showThread(initialState.ui, one) }))
  const closed = new AbortController()
  const stored = [...entries]
  const asked: [ThreadId, number][] = []
  const gate: { wait: Promise<void> } = { wait: Promise.resolve() }
  const reader = readFamilies({
    store,
    outline: outlineOf(state, families, one),
    async read(threadId, after, limit) {
      asked.push([threadId, after])
      await gate.wait
      const { project } = whole(stored)
      const root = rootThreadOf(project, threadId)
      const own = stored.filter((entry) => entry.sequence > after && rootThreadOf(project, entry.threadId) === root)
      return { root, entries: own.slice(0, limit), next: own[limit] ? (own[limit - 1]?.sequence ?? null) : null }
    },
    signal: closed.signal,
  })
  const take = (event: Entry) => {
    stored.push(event)
    reader.take([event])
    store.setState((shown) => foldEvents(shown, [event]))
  }
  return { store, asked, gate, reader, take, stored, closed }
}

/** The story with so many more replies in its first thread. */
function longer(count: number): readonly Entry[] {
  const replies = Array.from({ length: count }, (_, at) => {
    return { ...event(last + 1 + at, agentReply(`more ${at}`, 'More')), threadId: one } as Entry
  })
  return [...story, ...replies]
}

/** The entry with the two threads in each other's place. */
function swapped(entry: Entry): Entry {
  return { ...entry, threadId: entry.threadId === one ? two : one }
}

/** A new thread that begins as the last state of another one that can be copied. */
function copyOf(from: ThreadId, threadId: ThreadId): readonly Entry[] {
  const to = whole(story).project.past.threads.get(from)?.value.sequence ?? 0
  const bodies = [threadCreated('copy' as BranchId, { title: threadId }), { type: 'thread.copied', from, to } as const]
  return bodies.map((body, index) => ({ ...event(last + 1 + index, body), threadId }) as Entry)
}

const shownBy = ({ project, timeline, history }: AppState, id: ThreadId) => ({
  thread: project.threads.get(id),
  past: project.past.threads.get(id),
  ends: timeline.ends.get(id),
  history: history.filter(({ threadId }) => threadId === id),
})

describe('the families of a long journal', () => {
  it('are read when they are shown: first the open one, later the one that a person opens', async () => {
    const { store, asked } = openWindow()
    expect(store.getState().project.threads.get(one)?.messages.length).toBeGreaterThan(0)
    await eventually(() => expect(store.getState().reading).toBeNull())
    expect(shownBy(store.getState(), one)).toEqual(shownBy(whole(story), one))
    expect(asked.map(([id]) => id)).toEqual([one])
    store.setState((state) => ({ ui: showThread(state.ui, two) }))
    expect(isUnread(store.getState())).toBe(true)
    await eventually(() => expect(isUnread(store.getState())).toBe(false))
    expect(shownBy(store.getState(), two)).toEqual(shownBy(whole(story), two))
    expect(store.getState().unread).toEqual(new Set())
  })

  it('are read at once when something goes on in them', async () => {
    const { store } = openWindow(story, [two])
    expect(store.getState().reading).toEqual({ families: 0, of: 2 })
    await eventually(() => expect(store.getState().reading).toBeNull())
    for (const id of [one, two]) expect(shownBy(store.getState(), id)).toEqual(shownBy(whole(story), id))
  })

  it('are whole, whatever happens in them while they are read', async () => {
    for (const moment of ['before', 'while', 'after']) {
      const { store, gate, take, stored } = openWindow()
      const later = [one, two].map(
        (threadId, index) => ({ ...event(last + 1 + index, agentReply(`later${index}`, 'More')), threadId }) as Entry,
      )
      let open = (): void => {}
      if (moment === 'while') gate.wait = new Promise((resolve) => (open = resolve))
      if (moment === 'after') await eventually(() => expect(store.getState().reading).toBeNull())
      later.forEach(take)
      open()
      await eventually(() => expect(store.getState().unread.size).toBe(0))
      for (const id of [one, two])
        expect([moment, shownBy(store.getState(), id)]).toEqual([moment, shownBy(whole(stored), id)])
    }
  })

  it('hold their subagents, also one that begins while they are read', async () => {
    const [known, late] = ['known', 'late'] as ThreadId[] as [ThreadId, ThreadId]
    const begin = (threadId: ThreadId, at: number): readonly Entry[] => {
      const parent = { threadId: one, callId: null, todoId: null, resolves: null } as never
      const bodies = [threadCreated(`branch ${threadId}` as BranchId, { parent }), agentReply(`by ${threadId}`, 'Hi')]
      return bodies.map((body, index) => ({ ...event(at + index, body), threadId }) as Entry)
    }
    const { store, gate, take, stored } = openWindow([...story, ...begin(known, last + 1)])
    let open = (): void => {}
    gate.wait = new Promise((resolve) => (open = resolve))
    begin(late, last + 3).forEach(take)
    open()
    await eventually(() => expect(store.getState().reading).toBeNull())
    for (const id of [one, known, late]) {
      expect(whole(stored).project.threads.get(id)?.messages.length).toBeGreaterThan(0)
      expect(shownBy(store.getState(), id)).toEqual(shownBy(whole(stored), id))
    }
    expect(store.getState().project.children.get(one)).toEqual([known, late])
  })

  it('are asked for piece by piece, the next one before the last is folded, and say how far they are', async () => {
    const long = longer(9_000)
    const { store, asked } = openWindow(long)
    const shares: number[] = []
    const askedAt: number[] = []
    store.subscribe(({ readShare }) => {
      if (readShare === null || readShare === shares.at(-1)) return
      shares.push(readShare)
      askedAt.push(asked.length)
    })
    await eventually(() => expect(store.getState().reading).toBeNull())
    expect(asked.map(([, after]) => after)).toEqual([0, 2_051, 4_051, 6_051, 8_051])
    expect(shares.map((share) => Math.round(share * 100))).toEqual([23, 45, 66, 88])
    expect(askedAt).toEqual([2, 3, 4, 5])
    expect(shownBy(store.getState(), one)).toEqual(shownBy(whole(long), one))
  })

  it('say how far a large one is that is opened later', async () => {
    const { store } = openWindow(longer(9_000).map(swapped))
    await eventually(() => expect(store.getState().reading).toBeNull())
    const seen: (number | null)[] = []
    store.subscribe(({ readShare }) => seen.at(-1) !== readShare && seen.push(readShare))
    store.setState((state) => ({ ui: showThread(state.ui, two) }))
    await eventually(() => expect(isUnread(store.getState())).toBe(false))
    await eventually(() => expect(store.getState().readShare).toBeNull())
    expect(seen.map((share) => share && Math.round(share * 100))).toEqual([null, 23, 45, 66, 88, null])
    expect(store.getState().reading).toBeNull()
  })

  it('say how much of themselves was read, wherever they are in the journal', async () => {
    const before = longer(8_000)
    const first = { ...event(before.length + 1, threadCreated('branch three' as BranchId)) }
    const three = 'three' as ThreadId
    const tail = Array.from({ length: 6_000 }, (_, at) => {
      return { ...event(first.sequence + 1 + at, agentReply(`tail ${at}`, 'More')), threadId: three } as Entry
    })
    const { store } = openWindow([...before, { ...first, threadId: three } as Entry, ...tail])
    await eventually(() => expect(store.getState().reading).toBeNull())
    const seen: number[] = []
    store.subscribe(({ readShare }) => readShare !== null && readShare !== seen.at(-1) && seen.push(readShare))
    store.setState((state) => ({ ui: showThread(state.ui, three) }))
    await eventually(() => expect(isUnread(store.getState())).toBe(false))
    expect(seen.map((share) => Math.round(share * 10))).toEqual([3, 7, 10])
  })

  it('are read again after the host failed, when a person chooses them once more or asks for everything', async () => {
    const { store, reader, asked, gate } = openWindow()
    await eventually(() => expect(store.getState().reading).toBeNull())
    const choose = (id: ThreadId) => store.setState((state) => ({ ui: showThread(state.ui, id) }))
    const failing = (): void => {
      gate.wait = Promise.reject(new Error('The disk answers with errors.'))
      gate.wait.catch(() => undefined)
    }
    failing()
    choose(two)
    await eventually(() => expect(asked).toHaveLength(2))
    await eventually(() => {
      choose(one)
      choose(two)
      expect(asked).toHaveLength(3)
    })
    // A change of anything else does not ask again.
    store.setState({ starting: false })
    expect(asked).toHaveLength(3)
    gate.wait = Promise.resolve()
    await eventually(() => {
      reader.readAll()
      expect(store.getState().unread.size).toBe(0)
    })
    expect(shownBy(store.getState(), two)).toEqual(shownBy(whole(story), two))
  })

  it('are not read any further when the project is closed', async () => {
    const { store, asked, closed } = openWindow(longer(9_000))
    store.subscribe(() => closed.abort())
    await eventually(() => expect(closed.signal.aborted).toBe(true))
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(asked.length).toBe(2)
    expect(store.getState().unread).toEqual(new Set([one, two]))
  })

  it('stay unread when only their place in a list changes', async () => {
    const { store, take, asked } = openWindow()
    await eventually(() => expect(store.getState().reading).toBeNull())
    take({ ...event(last + 1, { type: 'thread.titled', title: 'New' }), threadId: two } as Entry)
    // A family is asked for in the turn in which it is wanted.
    expect(asked.map(([id]) => id)).not.toContain(two)
    expect(store.getState().project.threads.get(two)?.title).toBe('New')
    expect(store.getState().unread).toEqual(new Set([two]))
  })

  it('hold what a copy took over, from a family that is read first', async () => {
    const three = 'three' as ThreadId
    const copied = copyOf(two, three)
    const { store, asked } = openWindow([...story, ...copied])
    await eventually(() => expect(store.getState().reading).toBeNull())
    store.setState((state) => ({ ui: showThread(state.ui, three) }))
    await eventually(() => expect(isUnread(store.getState())).toBe(false))
    const expected = shownBy(whole([...story, ...copied]), three)
    expect(expected.thread?.messages.length).toBeGreaterThan(0)
    expect(shownBy(store.getState(), three)).toEqual(expected)
    expect(asked.map(([id]) => id)).toEqual([one, three, two])
  })

  it('hold what a copy takes over while the window shows another thread', async () => {
    const three = 'three' as ThreadId
    const { store, take, stored } = openWindow()
    await eventually(() => expect(store.getState().reading).toBeNull())
    copyOf(two, three).forEach(take)
    await eventually(() => expect(store.getState().unread.size).toBe(0))
    expect(shownBy(store.getState(), three)).toEqual(shownBy(whole(stored), three))
  })

  it('are all read when a person asks for everything', async () => {
    const { store, reader } = openWindow()
    reader.readAll()
    await eventually(() => expect(store.getState().unread.size).toBe(0))
    for (const id of [one, two]) expect(shownBy(store.getState(), id)).toEqual(shownBy(whole(story), id))
  })
})
