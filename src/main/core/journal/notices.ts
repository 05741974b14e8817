import type { EntryBody } from '#shared/model/entry.ts'
import type { MessageId } from '#shared/model/ids.ts'
import type { Notice } from '#shared/model/message.ts'
import type { QueuedMessage } from '#shared/model/thread.ts'

/**
 * A message from Coppice itself to an agent, added to the conversation at once. For the loop, between two turns. Whatever
 * depends on what it is about asks its `notice`, never its words.
 */
export function noticeEntry(messageId: MessageId, text: string, notice?: Notice): EntryBody {
  return { type: 'message', message: { role: 'user', ...noticeOf(messageId, text, notice) } }
}

/** Like `noticeEntry`, for an agent that may be in the middle of a turn. It is delivered at the next safe point. */
export function steerNoticeEntry(messageId: MessageId, text: string, notice?: Notice) {
  return {
    type: 'message.queued',
    queued: { ...noticeOf(messageId, text, notice), delivery: 'steer' },
  } as const satisfies EntryBody
}

function noticeOf(messageId: MessageId, text: string, notice: Notice | undefined): Omit<QueuedMessage, 'delivery'> {
  return { messageId, origin: 'notice', content: [{ type: 'text', text }], ...(notice && { notice }) }
}
