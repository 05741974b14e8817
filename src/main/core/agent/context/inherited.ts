import type { ThreadState } from '#shared/model/thread.ts'
import type { RequestMessage } from '../../ports/model-client.ts'
import { filterHistory } from '../delegation/filters.ts'
import { createConversation } from './conversation.ts'
import type { ShowMessage } from './eviction.ts'

/** The part of the parent's conversation that quarantine lets a subagent see, before its own task. */
export function inheritedMessages(
  thread: ThreadState,
  parent: ThreadState | undefined,
  show: ShowMessage,
): readonly RequestMessage[] {
  if (!thread.parent || !parent || thread.contextScope !== 'off') return []
  const { callId } = thread.parent
  const spawning = parent.messages.findIndex(
    (message) =>
      message.role === 'assistant' &&
      message.content.some((part) => part.type === 'tool_call' && part.callId === callId),
  )
  const before = spawning < 0 ? parent.messages : parent.messages.slice(0, spawning)
  return createConversation(show)({ ...parent, messages: filterHistory(before, thread.inputFilter) })
}

const maxTodos = 10
const maxFiles = 20
const maxBytes = 2048

/** The state summary of `scoped`: the plan and the names of changed files, never their content. At most 2 KB. */
export function stateSummary(parent: Pick<ThreadState, 'todos'>, changedFiles: readonly string[]): string {
  const todos = parent.todos.slice(0, maxTodos).map(({ content, status }) => ({ content, status }))
  const files = changedFiles.slice(0, maxFiles)
  for (;;) {
    const summary = JSON.stringify({
      version: 'v1',
      scope: 'scoped',
      todos,
      files: { list: files, remaining_count: changedFiles.length - files.length },
    })
    if (new TextEncoder().encode(summary).length <= maxBytes) return summary
    if (files.pop() === undefined && todos.pop() === undefined) return summary
  }
}
