import type { EntryBody, EntryOf } from './entry.ts'
import type { BranchId, MessageId, ThreadId, ToolCallId } from './ids.ts'

/** Creates a thread: a root thread of the agent `main`, unless `differs` says otherwise. */
export function threadCreated(branchId: BranchId, differs: Partial<EntryOf<'thread.created'>> = {}): EntryBody {
  return {
    type: 'thread.created',
    agent: 'main',
    agentType: 'main',
    title: 'Task',
    branchId,
    parent: null,
    depth: 0,
    model: 'demo',
    approvalMode: 'auto-edit',
    contextScope: 'strict',
    ...differs,
  }
}

/** A person's message; the text is its id. */
export function said(id: string): EntryBody {
  return {
    type: 'message',
    message: { role: 'user', messageId: id as MessageId, origin: 'person', content: [{ type: 'text', text: id }] },
  }
}

/** A reply that calls one tool, once per id. */
export function replied(id: string, name: string, calls: readonly string[]): EntryBody {
  return {
    type: 'message',
    message: {
      role: 'assistant',
      messageId: id as MessageId,
      content: calls.map((call) => ({ type: 'tool_call', callId: call as ToolCallId, name, input: {} })),
      stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
    },
  }
}

/** The parent link of a call's first subagent. */
export function parentOf(threadId: ThreadId, handle: string): NonNullable<EntryOf<'thread.created'>['parent']> {
  return {
    threadId,
    callId: 'call' as ToolCallId,
    handle: handle as NonNullable<EntryOf<'thread.created'>['parent']>['handle'],
    index: 0,
    task: 'Task',
    todoIndex: null,
  }
}
