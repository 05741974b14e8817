import type { ServerEvent } from './events.ts'
import type { Answer, ApiBlock, ApiMessage, ApiRequest } from './scenario.ts'

interface ResponseItem {
  readonly type: string
  readonly role?: string
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[]
  readonly name?: string
  readonly call_id?: string
  /** Arguments of a function, as JSON. */
  readonly arguments?: string
  /** What a tool that takes text is given. */
  readonly input?: string
  readonly output?: unknown
}

/** A request of the Responses API, with only the parts that scenarios read. */
export interface ResponseRequest {
  readonly model: string
  readonly instructions?: unknown
  readonly input: readonly ResponseItem[]
  readonly tools?: readonly { readonly type: string; readonly name?: string; readonly parameters?: unknown }[]
}

/** The request as scenarios know it, whatever the protocol was. */
export function fromResponses({ model, instructions, input, tools = [] }: ResponseRequest): ApiRequest {
  const joined: ApiMessage[] = []
  for (const item of input) {
    const block = blocksOf(item)
    if (block.length === 0) continue
    const isReply = item.type === 'function_call' || item.type === 'custom_tool_call' || item.role === 'assistant'
    const role = isReply ? 'assistant' : 'user'
    const last = joined.at(-1)
    // A reply is one message in the other protocol, and so is what follows it until the next one.
    if (last?.role === role && Array.isArray(last.content))
      joined[joined.length - 1] = { role, content: [...last.content, ...block] }
    else joined.push({ role, content: block })
  }
  return {
    model,
    system: instructions,
    messages: joined,
    tools: tools.map(({ name, type, parameters }) => ({ name: name ?? type, input_schema: parameters })),
  }
}

function blocksOf({ type, content, name = '', call_id = '', output, ...call }: ResponseItem): readonly ApiBlock[] {
  switch (type) {
    case 'message':
      if (typeof content === 'string') return [{ type: 'text', text: content }]
      return (content ?? []).map(({ text }) => (text === undefined ? { type: 'image' } : { type: 'text', text }))
    case 'function_call':
      return [{ type: 'tool_use', id: call_id, name, input: JSON.parse(call.arguments ?? '{}') as unknown }]
    case 'custom_tool_call':
      return [{ type: 'tool_use', id: call_id, name, input: call.input }]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ type: 'tool_result', tool_use_id: call_id, content: output }]
    default:
      return []
  }
}

/** Turns an answer into the events of the Responses API. A call whose input is text is one of a tool that takes text. */
export function responseEvents(answer: Answer, id: string): readonly ServerEvent[] {
  const message = {
    ...{ type: 'message', id: `item_${id}`, role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text: answer.text ?? '', annotations: [] }],
  }
  const calls = (answer.calls ?? []).map(({ name, input, id: given }, index) => {
    const call = { name, call_id: given ?? `call_${id}_${index}`, id: `item_${id}_${index}`, status: 'completed' }
    return typeof input === 'string'
      ? { type: 'custom_tool_call', ...call, input }
      : { type: 'function_call', ...call, arguments: JSON.stringify(input) }
  })
  const items = [...(answer.text === undefined ? [] : [message]), ...calls]
  const [input, output] = [answer.usage?.input_tokens ?? 100, answer.usage?.output_tokens ?? 20]
  const usage = {
    ...{ input_tokens: input, output_tokens: output, total_tokens: input + output },
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  }
  const response = { id: `resp_${id}`, object: 'response', output: items }
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...items.flatMap((item, index) => [
      { type: 'response.output_item.added', output_index: index, item },
      ...('content' in item
        ? [
            {
              type: 'response.output_text.delta',
              output_index: index,
              content_index: 0,
              item_id: item.id,
              delta: answer.text,
            },
          ]
        : []),
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: 'response.completed', response: { ...response, status: 'completed', usage } },
  ]
}
