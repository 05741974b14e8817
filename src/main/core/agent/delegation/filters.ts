import { type Message, textOf } from '#shared/model/message.ts'
import { answerOf, type ThreadState } from '#shared/model/thread.ts'
import { transcriptOf } from '../context/transcript.ts'
import type { OutputFilter } from '../types/agent-definition.ts'

/** The messages of a parent that a filter lets a subagent see, oldest first. */
export function filterHistory(messages: readonly Message[], filter: ThreadState['inputFilter']): readonly Message[] {
  switch (filter) {
    case null:
      return messages
    case 'last_message':
      return withoutCalls(messages).slice(-1)
    case 'no_tools':
      return withoutCalls(messages)
  }
}

/** Texts and images alone. A message of nothing but calls is left out. */
function withoutCalls(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message): readonly Message[] => {
    if (message.role === 'user') return [message]
    const content = message.content.filter(({ type }) => type === 'text')
    return content.length === 0 ? [] : [{ ...message, content, stopReason: 'end_turn' }]
  })
}

/** The part of a finished subagent's conversation that its parent reads. `summary` describes its plan and changes. */
export function filterResult(thread: ThreadState, filter: OutputFilter, summary: () => string): string {
  const { messages } = thread
  switch (filter) {
    case 'strict':
      return 'Done. Its report is withheld by the definition of this agent; look at the diff.'
    case 'scoped':
      return summary()
    case 'off':
      return transcriptOf(thread, messages)
    case 'last_message':
      return answerOf(thread)
    case 'no_tools':
      return messages
        .flatMap((message) => (message.role === 'assistant' ? [textOf(message.content).trim()] : []))
        .filter(Boolean)
        .join('\n\n')
  }
}
