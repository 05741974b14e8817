import type { EntryBody } from '#shared/model/entry.ts'
import type { MessageId } from '#shared/model/ids.ts'
import type { QueuedMessage } from '#shared/model/thread.ts'

/** A message from Coppice itself to an agent, added to the conversation at once. For the loop, between two turns. */
export function noticeEntry(messageId: MessageId, text: string): EntryBody {
  return { type: 'message', message: { role: 'user', ...noticeOf(messageId, text) } }
}

/** Like `noticeEntry`, for an agent that may be in the middle of a turn. It is delivered at the next safe point. */
export function steerNoticeEntry(messageId: MessageId, text: string) {
  return {
    type: 'message.queued',
    queued: { ...noticeOf(messageId, text), delivery: 'steer' },
  } as const satisfies EntryBody
}

function noticeOf(messageId: MessageId, text: string): Omit<QueuedMessage, 'delivery'> {
  return { messageId, origin: 'notice', content: [{ type: 'text', text }] }
}
