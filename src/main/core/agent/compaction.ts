import type { MessageId } from '#shared/model/ids.ts'
import type { Message } from '#shared/model/message.ts'
import { toolCallsOf } from '#shared/model/message.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { charactersPerToken } from '#shared/model/usage.ts'
import { plainText } from './transcript.ts'

/** When a conversation is summarised, in tokens; the share of the model's window that it may fill. */
export interface SummarisationSettings {
  readonly tokens: number
  readonly share: number
}

export const defaultSummarisation: SummarisationSettings = { tokens: 170_000, share: 0.85 }

/** What a compaction would take out of the conversation: the messages before `keptFrom`. */
export interface CompactionPlan {
  /** New since the last compaction; what that one covered is in its summary. */
  readonly covered: readonly Message[]
  readonly keptFrom: MessageId
}

const keptMessages = 6

export function isDue(thread: ThreadState, settings: SummarisationSettings, contextWindow: number): boolean {
  if (thread.compactionRequested) return true
  return contextTokens(thread) >= Math.min(settings.tokens, settings.share * contextWindow)
}

/**
 * Keeps at least the last six messages as the model counts them: a reply with calls is two, for its results go with it and are never
 * parted from it. Null when nothing would be left to summarise. `least` is for a conversation that does not fit even so.
 */
export function planCompaction({ messages, compaction }: ThreadState, least = keptMessages): CompactionPlan | null {
  let kept = 0
  let from = messages.length
  while (from > 0 && kept < least) {
    from -= 1
    kept += weight(messages[from])
  }
  const start = compaction ? messages.findIndex(({ messageId }) => messageId === compaction.keptFrom) : 0
  const first = messages[from]
  const covered = messages.slice(start, from)
  return first && covered.some(({ role }) => role === 'assistant') ? { covered, keptFrom: first.messageId } : null
}

function weight(message: Message | undefined): number {
  return message?.role === 'assistant' && toolCallsOf(message).length > 0 ? 2 : 1
}

/** Tokens of the next request: what the provider counted for the last one, and an estimate of what came since. */
function contextTokens(thread: ThreadState): number {
  const counted = thread.contextTokens
  const last = thread.messages.findLastIndex(({ role }) => role === 'assistant')
  const fresh = counted === null ? thread.messages : thread.messages.slice(last)
  const characters = fresh.map((message, index) => lengthOf(thread, message, counted !== null && index === 0))
  return (counted ?? 0) + characters.reduce((sum, length) => sum + length, 0) / charactersPerToken
}

/** The provider counted a reply, and not yet the results of its calls. */
function lengthOf(thread: ThreadState, message: Message, isCounted: boolean): number {
  if (message.role === 'user') return plainText(message.content).length
  const results = toolCallsOf(message).map(({ callId }) => plainText(thread.calls.get(callId)?.result?.content ?? []))
  const own = isCounted ? 0 : JSON.stringify(message.content).length
  return results.reduce((sum, { length }) => sum + length, own)
}
