import type { EntryDraft, EntryType } from '#shared/model/entry.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import { type CommandUse, textOf } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import type { QueuedMessage } from '#shared/model/thread.ts'
import { type CommandProject, type Decided, refuse, write } from './command.ts'
import { findActiveThread } from './threads.ts'

/** What a person does with a message of theirs that waits to be delivered. */
export type QueueEdit =
  | { readonly kind: 'remove'; readonly messageId: MessageId }
  /**
   * `notes` is what follows the text for the agent, and `command` what its command says about its run; without `notes`,
   * both stay as they were.
   */
  | {
      readonly kind: 'rewrite'
      readonly messageId: MessageId
      readonly text: string
      readonly notes?: string
      readonly command?: CommandUse | undefined
    }
  /** `by` is the number of places: negative for earlier. */
  | { readonly kind: 'move'; readonly messageId: MessageId; readonly by: number }
  /** Puts back a message that was removed. `at` is its place in the whole queue, from 0. */
  | { readonly kind: 'restore'; readonly messageId: MessageId; readonly at: number }
  /** Comes first, and is delivered at the next safe point. */
  | { readonly kind: 'deliver'; readonly messageId: MessageId }

const gone = 'This message was delivered or removed meanwhile. Look at the conversation.'

/** Changes the queue of a thread. Only messages of a person can be changed; notices keep their place. */
export function editQueue({ log }: CommandProject, threadId: ThreadId, edit: QueueEdit): Decided {
  const thread = findActiveThread(log, threadId)
  if (!thread.ok) return thread
  const { queue } = thread.value
  if (edit.kind === 'restore') {
    const removed = findRemoved(log, threadId, edit.messageId)
    if (!removed || queue.some(({ messageId }) => messageId === edit.messageId)) return refuse('not_found', gone)
    return write([queueChange(threadId, queue.toSpliced(edit.at, 0, removed), removed)])
  }
  const at = queue.findIndex(({ messageId, origin }) => messageId === edit.messageId && origin === 'person')
  const message = queue[at]
  if (!message) return refuse('not_found', gone)
  const others = queue.toSpliced(at, 1)
  switch (edit.kind) {
    case 'remove':
      return write([queueChange(threadId, others)])
    case 'rewrite': {
      if (edit.text.trim() === '') return refuse('invalid', 'The message is empty. Type something, or remove it.')
      const before = textOf(message.content)
      // What was added for the agent follows the person's text: input files, the skill, the shape of the answer.
      const notes = edit.notes ?? before.slice(readMessageNotes(before).text.length)
      const content = [
        ...message.content.filter(({ type }) => type !== 'text'),
        { type: 'text' as const, text: `${edit.text}${notes}` },
      ]
      const { command: commandBefore, ...rest } = message
      const command = edit.notes === undefined ? commandBefore : edit.command
      return write([queueChange(threadId, queue, { ...rest, content, ...(command && { command }) })])
    }
    case 'move': {
      const place = Math.min(Math.max(at + Math.trunc(edit.by), 0), others.length)
      return write(place === at ? [] : [queueChange(threadId, others.toSpliced(place, 0, message))])
    }
    case 'deliver':
      return write([queueChange(threadId, [message, ...others], { ...message, delivery: 'steer' })])
  }
}

/** A message of a person as it was when it left the queue; undefined if it was delivered. */
function findRemoved(log: CommandProject['log'], threadId: ThreadId, id: MessageId): QueuedMessage | undefined {
  const types: readonly EntryType[] = ['message.queued', 'queue.changed', 'message']
  const entries = log.entriesAfter(0, types, log.rootOf(threadId)).filter((one) => one.threadId === threadId)
  if (entries.some((one) => one.type === 'message' && one.message.messageId === id)) return undefined
  const versions = entries.flatMap((one) => {
    if (one.type === 'message.queued') return [one.queued]
    return one.type === 'queue.changed' && one.edited ? [one.edited] : []
  })
  return versions.findLast(({ messageId, origin }) => messageId === id && origin === 'person')
}

function queueChange(threadId: ThreadId, queue: readonly QueuedMessage[], edited?: QueuedMessage): EntryDraft {
  return { type: 'queue.changed', threadId, order: queue.map(({ messageId }) => messageId), ...(edited && { edited }) }
}
