import type { ModelChoice } from '#shared/contract/views/app.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { formatCount } from '#shared/text/format.ts'
import { modelStrings } from '../../../strings/later/models.ts'

const labels = modelStrings.carry

/**
 * What goes missing of a conversation when another model takes over, as one sentence. The words and the calls of tools
 * always stay. Empty for a conversation that has not begun.
 */
export function describeSwitch(
  { messages, calls, contextTokens }: Pick<ThreadState, 'messages' | 'calls' | 'contextTokens'>,
  { id, can, contextWindow }: ModelChoice,
): string {
  if (messages.length === 0) return ''
  const hasForeignThoughts = messages.some(
    (message) =>
      message.role === 'assistant' &&
      message.model !== undefined &&
      message.model !== id &&
      message.content.some(({ type }) => type === 'thinking' || type === 'redacted_thinking'),
  )
  const shown = [
    ...messages.flatMap(userParts),
    ...[...calls.values()].flatMap((call) => resultOf(call)?.content ?? []),
  ]
  const images = can && !can.images ? shown.filter(({ type }) => type === 'image').length : 0
  const parts = [
    ...(hasForeignThoughts ? [labels.thoughts] : []),
    ...(images > 0 ? [labels.images(images)] : []),
    ...(contextTokens !== null && contextTokens > contextWindow
      ? [labels.window(formatCount(contextTokens), formatCount(contextWindow))]
      : []),
    ...(can && !can.tools ? [labels.tools] : []),
  ]
  return parts.length === 0 ? labels.safe : labels.line(parts)
}

function userParts(message: ThreadState['messages'][number]) {
  return message.role === 'user' ? message.content : []
}
