import type { NonEmpty } from '#shared/base/non-empty.ts'
import { beginsAWord, searchedText, wordsOf } from '#shared/model/derived/searched-text.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { Journal } from './journal.ts'

export function createMemoryJournal(now: () => number): Journal {
  const entries: Entry[] = []
  return {
    append(drafts) {
      const at = now()
      const added = drafts.map((draft, index): Entry => ({ ...draft, sequence: entries.length + index + 1, at }))
      entries.push(...added)
      return added as unknown as NonEmpty<Entry>
    },
    read({ after, threadId, types, limit }) {
      const later = entries
        .slice(Math.max(after, 0))
        .filter((entry) => (!threadId || entry.threadId === threadId) && (!types || types.includes(entry.type)))
      return limit === undefined ? later : later.slice(0, limit)
    },
    find({ place, words, before = Number.POSITIVE_INFINITY, limit }) {
      if (words.length === 0) return []
      const found = entries.filter((entry) => {
        const searched = searchedText(entry)
        if (searched?.place !== place || entry.sequence >= before) return false
        const said = wordsOf(searched.text)
        return words.every((one) => said.some((word) => beginsAWord(one, word)))
      })
      return found
        .map(({ sequence }) => sequence)
        .toReversed()
        .slice(0, limit)
    },
  }
}
