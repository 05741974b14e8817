import type { NonEmpty } from '#shared/base/non-empty.ts'
import { haveWords, searchedText, wordsOf } from '#shared/model/derived/searched-text.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { Journal } from './journal.ts'
import type { FoldStore, StoredFold } from './stores/fold-store.ts'

export function createMemoryFolds(): FoldStore {
  let stored: StoredFold | null = null
  return {
    read: () => stored,
    write(fold) {
      stored = fold
    },
  }
}

export function createMemoryJournal(now: () => number): Journal {
  const entries: Entry[] = []
  const rootOf = (id: ThreadId | BranchId): ThreadId | undefined => {
    for (const entry of entries) {
      if (entry.type === 'thread.created' && entry.threadId === id)
        return entry.parent === null ? entry.threadId : (rootOf(entry.parent.threadId) ?? entry.parent.threadId)
      if (entry.type === 'branch.forked' && entry.branchId === id) return rootOf(entry.ownerThreadId)
    }
    return undefined
  }
  return {
    last: () => entries.at(-1)?.sequence ?? 0,
    rootOf,
    roots: () =>
      entries.flatMap((entry) => (entry.type === 'thread.created' && entry.parent === null ? [entry.threadId] : [])),
    threadsSince: (after) => [...new Set(entries.slice(after).map(({ threadId }) => threadId))],
    append(drafts) {
      const at = now()
      const added = drafts.map((draft, index): Entry => ({ ...draft, sequence: entries.length + index + 1, at }))
      entries.push(...added)
      return added as unknown as NonEmpty<Entry>
    },
    each: (family) => entries.filter(({ threadId }) => family === undefined || rootOf(threadId) === family),
    read({ after, threadId, family, types, limit }) {
      const later = entries
        .slice(Math.max(after, 0))
        .filter(
          (entry) =>
            (!threadId || entry.threadId === threadId) &&
            (!family || rootOf(entry.threadId) === family) &&
            (!types || types.includes(entry.type)),
        )
      return limit === undefined ? later : later.slice(0, limit)
    },
    piece({ family, after, limit }) {
      const later = entries.slice(after).filter(({ threadId }) => rootOf(threadId) === family)
      const isFull = later.length > limit
      return { entries: later.slice(0, limit), next: isFull ? (later[limit - 1]?.sequence ?? null) : null }
    },
    find({ place, words, before = Number.POSITIVE_INFINITY, limit }) {
      if (words.length === 0) return []
      const found = entries.filter((entry) => {
        const searched = searchedText(entry)
        if (searched?.place !== place || entry.sequence >= before) return false
        return haveWords(wordsOf(searched.text), words)
      })
      return found
        .map(({ sequence }) => sequence)
        .toReversed()
        .slice(0, limit)
    },
  }
}
