import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnthropicClient } from '#adapters/anthropic/anthropic-client.ts'
import { playAnthropic } from '#adapters/anthropic/anthropic-server.testkit.ts'
import { serveModel, testRequest, testServer } from '#adapters/model-http/model-server.testkit.ts'
import { strictly } from '#adapters/model-http/strict-server.testkit.ts'
import { createOpenAiClient } from '#adapters/openai/openai-client.ts'
import { playOpenAi } from '#adapters/openai/openai-server.testkit.ts'
import { createConversation } from '#core/agent/context/conversation.ts'
import type { ModelRequest, ToolSpec } from '#core/ports/model-client.ts'
import { runs } from '#core/ports/test-size.testkit.ts'
import type { Entry, EntryBody } from '#shared/model/entry.ts'
import { said, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { BranchId, MessageId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { AssistantPart } from '#shared/model/message.ts'
import { emptyProject } from '#shared/model/project-state.ts'

const never = new AbortController().signal
const threadId = 'thread' as ThreadId

/** Texts that are cut within characters, blank ones, and what JSON escapes. */
const text = fc
  .array(fc.constantFrom('a', 'b', ' ', '\n', '\ud83d', '\ude00', '😀', '"', '\\', '\\ud83d', '$', '.', '\0'), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''))
const name = fc.oneof(text, fc.constantFrom('ls', 'x'.repeat(200), '__proto__'))
const input = fc.dictionary(
  fc.oneof(text, fc.constant('path')),
  fc.oneof(text, fc.array(text), fc.dictionary(text, text)),
)
const part: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('thinking' as const), text, signature: text }),
  fc.record({ type: fc.constant('redacted_thinking' as const), data: text }),
)
const call = fc.record({ name, input, id: fc.oneof(text, fc.constant('a')), result: fc.option(fc.array(text)) })
const step = fc.oneof(
  fc.record({ kind: fc.constant('said' as const), said: text }),
  fc.record({ kind: fc.constant('replied' as const), parts: fc.array(part), calls: fc.array(call) }),
  fc.record({ kind: fc.constant('summarised' as const), summary: text, file: text }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** The entries of a thread in which these things happened. Ids of calls are unique, as the journal keeps them. */
function entriesOf(steps: readonly Step[]): readonly EntryBody[] {
  const first: EntryBody[] = [threadCreated('branch' as BranchId), said('first')]
  const later = steps.flatMap((one, index): readonly EntryBody[] => {
    const messageId = `m${index}` as MessageId
    if (one.kind === 'summarised') {
      const { summary, file } = one
      return [{ type: 'compacted', keptFrom: 'first' as MessageId, summary, file, pastes: [], messages: 1 }]
    }
    if (one.kind === 'said') {
      const content = [{ type: 'text', text: one.said } as const]
      return [{ type: 'message', message: { role: 'user', messageId, origin: 'notice', content } }]
    }
    const calls = one.calls.map((made, at) => ({ ...made, callId: `${made.id}${index}-${at}` as ToolCallId }))
    const asked = calls.map(({ callId, name: tool, input: given }) => ({
      ...({ type: 'tool_call', callId, name: tool, input: given } as const),
    }))
    const results = calls.flatMap(({ callId, result, name: tool }): EntryBody[] =>
      result === null
        ? []
        : [
            {
              ...{ type: 'tool.finished', callId, name: tool, durationMs: 1, reads: [] },
              result: { outcome: 'ok', content: result.map((said) => ({ type: 'text', text: said })) },
            },
          ],
    )
    const message = { role: 'assistant', messageId, content: [...one.parts, ...asked], stopReason: 'tool_use' } as const
    return [{ type: 'message', message }, ...results]
  })
  return [...first, ...later]
}

function messagesOf(steps: readonly Step[]): ModelRequest['messages'] {
  const state = entriesOf(steps).reduce(
    (before, body, index) => fold(before, { ...body, threadId, sequence: index + 1, at: index } as Entry),
    emptyProject,
  )
  const thread = state.threads.get(threadId)
  return thread ? createConversation()(thread) : []
}

const property = fc.oneof(
  fc.constantFrom({ type: 'string' }, { type: 'number', default: null }, true, { anyOf: [{ type: 'string' }] }),
  fc.constant(null),
)
const shape = fc.record(
  {
    type: fc.constantFrom('object', 'string', ['object', 'null'], null),
    properties: fc.option(fc.dictionary(name, property)),
    required: fc.option(fc.array(name)),
    description: fc.option(text),
  },
  { requiredKeys: [] },
)
const schema = fc.record(
  {
    ...{ type: fc.constantFrom('object', 'string', null), properties: fc.dictionary(name, property) },
    ...{
      anyOf: fc.array(shape),
      oneOf: fc.option(fc.array(shape)),
      allOf: fc.array(shape),
      not: shape,
      enum: fc.array(text),
    },
    ...{
      $ref: fc.constantFrom('#/$defs/a', '#/$defs/missing', 'https://example.com/a', '#'),
      $defs: fc.record({ a: shape }),
    },
  },
  { requiredKeys: [] },
)
const tool = fc.record({ name, description: text, inputSchema: schema }) as fc.Arbitrary<ToolSpec>

describe.each([
  ['messages', playAnthropic, createAnthropicClient],
  ['completions', playOpenAi, createOpenAiClient],
] as const)('a request in the form of %s', (wire, play, createClient) => {
  /** Mutation: without the guard of requests, the first text with half a character is refused. */
  it('is one that strict servers take, whatever stands in the conversation and in the tools', async () => {
    const address = await serveModel(strictly(wire, play({ text: 'Hi.' })))
    const client = createClient(testServer(address))
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 6 }),
        fc.array(tool, { maxLength: 4 }),
        text,
        async (steps, tools, system) => {
          const request = { ...testRequest, system, tools, messages: messagesOf(steps) }
          const kinds: string[] = []
          for await (const { type } of client.stream(request, never)) kinds.push(type)
          expect(kinds.at(-1)).toBe('reply')
        },
      ),
      runs(250),
    )
  })
})
