import type { EntryBody } from '#shared/model/entry.ts'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { CoppiceEvent, LiveEventBody } from '#shared/model/event.ts'
import type { BranchId, MessageId, ThreadId, ToolCallId } from '#shared/model/ids.ts'

/** Short ways to write events in tests. */
export const threadId = 'thread' as ThreadId
export const branchId = 'branch' as BranchId
export const messageId = (name: string): MessageId => name as MessageId
export const callId = (name: string): ToolCallId => name as ToolCallId

export function event(sequence: number, body: EntryBody | LiveEventBody, thread: ThreadId = threadId): CoppiceEvent {
  return { ...body, sequence, threadId: thread, at: sequence * 1000 } as CoppiceEvent
}

export const created = threadCreated(branchId)

export function userMessage(name: string, text: string): EntryBody {
  return {
    type: 'message',
    message: { role: 'user', messageId: messageId(name), origin: 'person', content: [{ type: 'text', text }] },
  }
}

/** A reply with text (unless empty) and calls, given as `[call id, tool]`. */
export function agentReply(name: string, text: string, ...calls: readonly (readonly [string, string])[]): EntryBody {
  const spoken = text === '' ? [] : [{ type: 'text' as const, text }]
  const called = calls.map(([id, tool]) => ({ type: 'tool_call' as const, callId: callId(id), name: tool, input: {} }))
  return {
    type: 'message',
    message: {
      role: 'assistant',
      messageId: messageId(name),
      content: [...spoken, ...called],
      stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
    },
  }
}
