import type { Answer, ApiRequest } from './scenario.ts'

export interface ServerEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/**
 * Turns an answer into the stream of the Messages API: message_start, blocks with deltas, message_delta,
 * message_stop.
 */
export function streamEvents(request: ApiRequest, answer: Answer, id: string): readonly ServerEvent[] {
  const calls = answer.calls ?? []
  const blocks = [
    ...(answer.text === undefined ? [] : [textBlock(answer.text)]),
    ...calls.map((call, index) => callBlock(call, call.id ?? `call_${id}_${index}`)),
  ]
  const usage = {
    input_tokens: 100,
    output_tokens: 1,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    ...answer.usage,
  }
  return [
    {
      type: 'message_start',
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model: request.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
    },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block.start },
      ...block.deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: answer.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn'), stop_sequence: null },
      usage: { output_tokens: answer.usage?.output_tokens ?? 20 },
    },
    { type: 'message_stop' },
  ]
}

function textBlock(text: string) {
  return {
    start: { type: 'text', text: '' },
    deltas: pieces(text, 24).map((piece) => ({ type: 'text_delta', text: piece })),
  }
}

function callBlock(
  { name, input, rawInput }: { readonly name: string; readonly input: unknown; readonly rawInput?: string },
  id: string,
) {
  const json = rawInput ?? JSON.stringify(input)
  return {
    start: { type: 'tool_use', id, name, input: {} },
    deltas: pieces(json, 40).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  }
}

function pieces(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )
}
