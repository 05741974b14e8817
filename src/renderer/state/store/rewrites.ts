import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { changeEdit, type Edit, type Edits } from './edits.ts'

/** What a person types in place of the text of a queued message. */
export type Rewrite = Edit

/** The open rewrites of the window, by thread and message. */
export type Rewrites = Edits

function rewriteKey(threadId: ThreadId, messageId: MessageId): string {
  return `${threadId} ${messageId}`
}

/** The rewrites of one thread, with the message of each. */
export function rewritesOf(rewrites: Rewrites, threadId: ThreadId): readonly (readonly [MessageId, Rewrite])[] {
  const prefix = rewriteKey(threadId, '' as MessageId)
  return Object.entries(rewrites).flatMap(([key, rewrite]) =>
    key.startsWith(prefix) ? [[key.slice(prefix.length) as MessageId, rewrite] as const] : [],
  )
}

/** Keeps or, for null, closes the rewrites of some messages of a thread. */
export function changeRewrites(
  rewrites: Rewrites,
  threadId: ThreadId,
  changes: readonly (readonly [MessageId, Rewrite | null])[],
): Rewrites {
  return changes.reduce(
    (all, [messageId, rewrite]) => changeEdit(all, rewriteKey(threadId, messageId), rewrite),
    rewrites,
  )
}
