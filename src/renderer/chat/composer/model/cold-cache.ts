import type { ModelChoice } from '#shared/contract/views/app.ts'
import { answeringModel, type ThreadState } from '#shared/model/thread.ts'
import type { Timeline } from '../../../state/store/timeline.ts'

/** Milliseconds that servers keep a cache after it was last used. The app writes no cache of a longer life. */
const cacheLife = 5 * 60_000
/** Tokens. A shorter conversation costs too little to speak of. */
const longContext = 20_000
/** US dollars. Less than a cent is not worth a line. */
const leastCost = 0.01

/** A conversation that a model would read again, because its cache is gone or was another model's. */
export interface ColdRead {
  readonly tokens: number
  /** US dollars, about; null while the price is unknown. */
  readonly cost: number | null
  readonly because: 'time' | 'model'
}

type Conversation = Pick<ThreadState, 'messages' | 'contextTokens' | 'model' | 'fallback'>

/** When the cache of a thread's last request ends, in milliseconds since the Unix epoch. Null when there is none. */
export function cacheEnd({ messages }: Pick<ThreadState, 'messages'>, times: Timeline['messageTimes']): number | null {
  const last = messages.findLast((message) => message.role === 'assistant')
  const at = last && times.get(last.messageId)
  return at === undefined ? null : at + cacheLife
}

/**
 * What the next request reads again at full price. Null for a short conversation, a warm cache, a model without a cache
 * of its own, and what costs nothing.
 *
 * @param end see `cacheEnd`
 */
export function findColdRead(
  thread: Conversation,
  model: ModelChoice | undefined,
  { end, now }: { readonly end: number | null; readonly now: number },
): ColdRead | null {
  const tokens = thread.contextTokens
  if (end === null || tokens === null || tokens < longContext || !model?.can?.caching) return null
  const last = thread.messages.findLast((message) => message.role === 'assistant')
  const isOther = last?.model !== undefined && last.model !== answeringModel(thread)
  if (!isOther && now < end) return null
  // What is not in the cache is written to it, which most servers price above plain input.
  const cost = model.price ? (tokens * model.price.cacheWrite) / 1_000_000 : null
  if (cost !== null && cost < leastCost) return null
  return { tokens, cost, because: isOther ? 'model' : 'time' }
}
