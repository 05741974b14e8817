import type { MessageHit } from '#shared/contract/views/threads.ts'
import { beginsAWord, wordsOf } from '#shared/model/derived/searched-text.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ThreadState, ThreadStatus } from '#shared/model/thread.ts'
import { canBeRestored } from '#shared/model/thread.ts'

export type ThreadFilter = 'active' | 'archived' | 'deleted'
export type GroupKey = ThreadStatus | 'pinned'

/** A row of the list. */
export type ThreadRow =
  | {
      readonly kind: 'group'
      readonly key: string
      readonly group: GroupKey
      readonly count: number
      readonly open: boolean
    }
  | { readonly kind: 'thread'; readonly key: string; readonly thread: ThreadState; readonly status: ThreadStatus }
  | { readonly kind: 'found'; readonly key: string; readonly title: string; readonly count: number }
  | { readonly kind: 'hit'; readonly key: string; readonly hit: MessageHit; readonly agent: string | null }

const groupOrder: readonly GroupKey[] = [
  'pinned',
  'needs_you',
  'failed',
  'working',
  'queued',
  'paused',
  'stopped',
  'idle',
  'done',
]

/** The threads that a filter lists, in the given order. */
export function threadsOf(roots: readonly ThreadState[], shown: ThreadFilter, now: number): readonly ThreadState[] {
  return roots.filter(({ deletedAt, archived }) => {
    if (deletedAt !== null) return shown === 'deleted' && canBeRestored(deletedAt, now)
    return shown === (archived ? 'archived' : 'active')
  })
}

/** The threads grouped by status; pinned ones come first. */
export function groupRows(
  threads: readonly ThreadState[],
  statuses: ReadonlyMap<ThreadId, ThreadStatus>,
  closed: ReadonlySet<GroupKey>,
): readonly ThreadRow[] {
  const groups = new Map<GroupKey, ThreadRow[]>()
  for (const thread of threads) {
    const row = threadRow(thread, statuses)
    const group = thread.pinned ? 'pinned' : row.status
    const members = groups.get(group)
    if (members) members.push(row)
    else groups.set(group, [row])
  }
  return groupOrder.flatMap((group) => {
    const rows = groups.get(group)
    if (!rows) return []
    const open = !closed.has(group)
    return [{ kind: 'group', key: group, group, count: rows.length, open } as const, ...(open ? rows : [])]
  })
}

export function listRows(
  threads: readonly ThreadState[],
  statuses: ReadonlyMap<ThreadId, ThreadStatus>,
): readonly ThreadRow[] {
  return threads.map((thread) => threadRow(thread, statuses))
}

function threadRow(thread: ThreadState, statuses: ReadonlyMap<ThreadId, ThreadStatus>) {
  return { kind: 'thread', key: thread.id, thread, status: statuses.get(thread.id) ?? thread.status } as const
}

/** Threads whose titles contain every word of the query. A word matches the beginning of a word. */
export function titlesWith(threads: readonly ThreadState[], query: string): readonly ThreadState[] {
  const searched = wordsOf(query)
  if (searched.length === 0) return []
  return threads.filter(({ title }) => {
    const said = wordsOf(title)
    return searched.every((one) => said.some((word) => beginsAWord(one, word)))
  })
}

/** The found messages, grouped by root thread. The thread with the latest message comes first. */
export function hitRows(
  hits: readonly MessageHit[],
  rootOf: (id: ThreadId) => ThreadState | undefined,
  agentOf: (id: ThreadId) => string | null,
): readonly ThreadRow[] {
  const groups = new Map<ThreadState, MessageHit[]>()
  for (const hit of hits) {
    const root = rootOf(hit.threadId)
    if (root) groups.set(root, [...(groups.get(root) ?? []), hit])
  }
  return [...groups].flatMap(([{ id, title }, members]) => [
    { kind: 'found', key: `found ${id}`, title, count: members.length } as const,
    ...members.map((hit) => ({
      kind: 'hit' as const,
      key: `hit ${hit.sequence}`,
      hit,
      agent: hit.role === 'user' ? null : agentOf(hit.threadId),
    })),
  ])
}

/** Pixels. */
export function heightOf(row: ThreadRow): number {
  return { group: 28, thread: 40, found: 28, hit: 48 }[row.kind]
}

/** The indexes of the rows that the keyboard stops at: all except the headings of found messages. */
export function stopsOf(rows: readonly ThreadRow[]): readonly number[] {
  return rows.flatMap((row, index) => (row.kind === 'found' ? [] : [index]))
}

/** The stop at `row`, or the next one if `row` is no longer a stop. */
export function stopAt(stops: readonly number[], row: number): number {
  return stops.find((stop) => stop >= row) ?? stops.at(-1) ?? 0
}

/** The stop that an arrow key, Home or End leads to; null for other keys. */
export function stopAfterKey(key: string, row: number, stops: readonly number[]): number | null {
  const at = stops.indexOf(row)
  if (key === 'ArrowDown') return stops[Math.min(at + 1, stops.length - 1)] ?? null
  if (key === 'ArrowUp') return stops[Math.max(at - 1, 0)] ?? null
  if (key === 'Home') return stops[0] ?? null
  return key === 'End' ? (stops.at(-1) ?? null) : null
}
