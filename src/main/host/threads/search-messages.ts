import type { HostServices } from '#core/agent/types/services.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { MessageHit, MessageSearch } from '#shared/contract/views/threads.ts'
import { snippetOf, spokenText, wordsOf } from '#shared/model/derived/searched-text.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { MessageId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { latestVersion } from '#shared/model/memory.ts'

const page = 100
/** The search gives up after this many hits, of which a rewind or a deletion may have hidden some. */
const mostLookedAt = 5000

/** Messages that contain all the words, in all threads that are not deleted, with subagents. Latest first. */
export function searchMessages({ log }: Pick<HostServices, 'log'>, query: string, limit: number): MessageSearch {
  const words = wordsOf(query)
  const isThere = standingMessages(log)
  const hits: MessageHit[] = []
  let before: Sequence | undefined
  for (let looked = 0; looked < mostLookedAt; looked += page) {
    const found = log.find({ place: 'messages', words, limit: page, ...(before !== undefined && { before }) })
    for (const sequence of found) {
      const hit = hitOf(readEntry(log, sequence), words)
      if (!hit || !isThere(hit.threadId, hit.messageId)) continue
      if (hits.length === limit) return { hits, more: true }
      hits.push(hit)
    }
    before = found.at(-1)
    if (found.length < page || before === undefined) return { hits, more: false }
  }
  return { hits, more: true }
}

function hitOf(entry: Entry | undefined, words: readonly string[]): MessageHit | undefined {
  if (entry?.type !== 'message') return undefined
  const { sequence, threadId, at, message } = entry
  const snippet = snippetOf(spokenText(message), words)
  return { sequence, threadId, at, messageId: message.messageId, role: message.role, snippet }
}

/** The entry of a hit, without its family. */
function readEntry(log: HostServices['log'], sequence: Sequence): Entry | undefined {
  const [page = []] = log.pages(1, { after: sequence - 1, types: ['message'] })
  return page.find((entry) => entry.sequence === sequence)
}

/**
 * Makes a test for messages in a conversation that a person can still open. Only a rewind takes messages away, so a
 * thread without one need not be loaded.
 */
function standingMessages(log: HostServices['log']): (threadId: ThreadId, messageId: MessageId) => boolean {
  const known = new Map<ThreadId, ReadonlySet<MessageId>>()
  const families = log.families()
  return (threadId, messageId) => {
    const family = families.get(log.rootOf(threadId) ?? threadId)
    if (family?.root.deletedAt !== null) return false
    if (!family.wasRewound) return true
    const thread = readThread(log, threadId)
    if (!thread) return false
    const messages = known.get(threadId) ?? new Set(thread.messages.map((message) => message.messageId))
    known.set(threadId, messages)
    return messages.has(messageId)
  }
}

/** Names of memories whose current name and text contain all the words. */
export function searchMemory({ log }: Pick<HostServices, 'log'>, query: string): readonly string[] {
  const found = new Set(log.find({ place: 'memories', words: wordsOf(query), limit: maxVersions }))
  return [...log.state.memories.values()]
    .filter((memory) => memory.text !== null && found.has(latestVersion(memory).sequence))
    .map(({ name }) => name)
}

const maxVersions = 100_000
