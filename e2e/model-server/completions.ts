import type { Answer, ApiBlock, ApiMessage, ApiRequest } from './scenario.ts'

interface CompletionMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null | readonly { readonly type: string; readonly text?: string }[]
  readonly tool_call_id?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

/** A request for chat completions, with only the parts that scenarios read. */
interface CompletionRequest {
  readonly model: string
  readonly messages: readonly CompletionMessage[]
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: unknown } }[]
}

/** The request as scenarios know it, whatever the protocol was. */
export function fromCompletion({ model, messages, tools = [] }: CompletionRequest): ApiRequest {
  const [system] = messages.filter(({ role }) => role === 'system')
  const joined: ApiMessage[] = []
  for (const message of messages.filter(({ role }) => role !== 'system')) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const last = joined.at(-1)
    const content = blocksOf(message)
    // Results and what a person says beside them are one message in the other protocol.
    if (last?.role === 'user' && role === 'user' && Array.isArray(last.content))
      joined[joined.length - 1] = { role, content: [...last.content, ...content] }
    else joined.push({ role, content })
  }
  return {
    model,
    messages: joined,
    ...(system && { system: system.content }),
    tools: tools.map(({ function: { name, parameters } }) => ({ name, input_schema: parameters })),
  }
}

function blocksOf({ role, content, tool_call_id, tool_calls = [] }: CompletionMessage): readonly ApiBlock[] {
  if (role === 'tool') return [{ type: 'tool_result', tool_use_id: tool_call_id ?? '', content: content ?? '' }]
  const texts =
    typeof content === 'string'
      ? [{ type: 'text', text: content } as const]
      : (content ?? []).map(({ type, text = '' }) =>
          type === 'text' ? ({ type: 'text', text } as const) : ({ type: 'image' } as const),
        )
  const calls = tool_calls.map(
    ({ id, function: { name, arguments: json } }) =>
      ({ type: 'tool_use', id, name, input: JSON.parse(json) as unknown }) as const,
  )
  return [...texts, ...calls]
}

/** Turns an answer into chunks of chat completions: the pieces of all calls in turns, the usage at the end. */
export function completionChunks(answer: Answer, id: string): readonly object[] {
  const calls = answer.calls ?? []
  const chunk = (delta: object, finish: string | null = null) => ({
    id,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const started = calls.map((call, index) => ({
    index,
    id: call.id ?? `call_${id}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: '' },
  }))
  const json = calls.map((call) => call.rawInput ?? JSON.stringify(call.input))
  const longest = Math.max(0, ...json.map(({ length }) => length))
  const rounds = Array.from({ length: Math.ceil(longest / 40) }, (_, round) =>
    json.flatMap((text, index) => {
      const piece = text.slice(round * 40, (round + 1) * 40)
      return piece === '' ? [] : [chunk({ tool_calls: [{ index, function: { arguments: piece } }] })]
    }),
  )
  const reasons: Readonly<Record<string, string>> = { end_turn: 'stop', tool_use: 'tool_calls', max_tokens: 'length' }
  const reason = answer.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn')
  return [
    chunk({ role: 'assistant', content: answer.text ?? '' }),
    ...(started.length > 0 ? [chunk({ tool_calls: started })] : []),
    ...rounds.flat(),
    chunk({}, reasons[reason] ?? 'stop'),
    {
      id,
      object: 'chat.completion.chunk',
      choices: [],
      usage: {
        prompt_tokens: answer.usage?.input_tokens ?? 100,
        completion_tokens: answer.usage?.output_tokens ?? 20,
      },
    },
  ]
}
