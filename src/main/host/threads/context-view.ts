import { createConversation } from '#core/agent/context/conversation.ts'
import { messageTokensOf, showMessages } from '#core/agent/context/eviction.ts'
import { inheritedMessages } from '#core/agent/context/inherited.ts'
import { requestFor } from '#core/agent/model/request-reply.ts'
import { knownMemory, readPrompt, sectionsToSend, systemText } from '#core/agent/prompt/freeze-prompt.ts'
import { definitionOf } from '#core/agent/types/agent-definition.ts'
import type { HostServices } from '#core/agent/types/services.ts'
import { isOn, mergeTuning } from '#core/agent/types/tuning.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { ModelRequest, RequestPart } from '#core/ports/model-client.ts'
import type { ContextPart, ContextView } from '#shared/contract/views/threads.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { charactersPerToken } from '#shared/model/models/usage.ts'
import { answeringModel, type ThreadState } from '#shared/model/thread.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** The parts of a thread's next request, and the exact request. `leftOut` says what its model will not get. Throws `NOT_FOUND` before the first request. */
export async function contextView(
  services: HostServices,
  thread: ThreadState,
  leftOut: (request: ModelRequest) => readonly string[],
): Promise<ContextView> {
  const { blobs, log } = services
  if (thread.prompt === null)
    throw new WireError(
      'NOT_FOUND',
      'This thread has not asked its model yet. Its prompt is fixed with the first message.',
    )
  const settings = services.settings()
  const tuning = mergeTuning(settings.tuning, definitionOf(services.extensions.current(), thread.agentType).tuning)
  const fixed = readPrompt(blobs, thread.prompt.frozen)
  const known = knownMemory(services, thread.id)
  const tools = [...fixed.tools, ...(thread.prompt.found ?? [])]
  // Only the request of an agent stores the text.
  const show = showMessages(
    messageTokensOf(settings, tuning, tools),
    (name) => `${services.prefixes['/inputs/']}${name}`,
  )
  const parent = thread.parent && readThread(log, thread.parent.threadId)
  const request = requestFor(thread, {
    system: systemText(fixed, known),
    toolSpecs: tools,
    inherited: inheritedMessages(thread, parent ?? undefined, show),
    conversation: createConversation(show),
    limits: {
      ...settings,
      thinking: null,
      temperature: tuning.temperature,
      topP: tuning.topP,
      topK: tuning.topK,
      caching: isOn(tuning, 'cache'),
    },
  })
  const sections = sectionsToSend(fixed, known)
  const prompt = sections.map(({ part, text }) => ({ part, tokens: tokensIn(text) }))
  return {
    parts: [...prompt, { part: 'tools', tokens: tokensIn(JSON.stringify(tools)) }, ...conversationParts(request)],
    counted: thread.contextTokens,
    contextWindow: await services.contextWindow(answeringModel(thread)),
    leftOut: leftOut(request),
    request: JSON.stringify(request, shorten, 2),
  }
}

function conversationParts({ messages }: ModelRequest): readonly ContextPart[] {
  const parts = messages.flatMap(({ role, content }) => content.map((part) => ({ role, part })))
  const results = parts.filter(({ part }) => part.type === 'tool_result')
  const others = parts.filter(({ part }) => part.type !== 'tool_result')
  const tokens = (some: readonly { readonly part: RequestPart | object }[]) =>
    tokensIn(some.map(({ part }) => JSON.stringify(part)).join(''))
  return [
    { part: 'messages', tokens: tokens(others) },
    { part: 'results', tokens: tokens(results) },
  ]
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}

const shownOfString = 100_000

/** Replaces images, which nobody reads, and cuts the longest texts. */
function shorten(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (key === 'data') return `(${value.length} characters of an image)`
  return value.length > shownOfString ? `${beginningOf(value, shownOfString)}… (${value.length} characters)` : value
}
