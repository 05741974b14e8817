import type { ScriptedAnswer } from '#core/ports/model-client.testkit.ts'
import type { ModelErrorCode } from '#core/ports/model-client.ts'
import type { Answer } from '../model-http/model-server.testkit.ts'

export const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 1000, cache_creation_input_tokens: 100 }
export const started = event('message_start', { message: { id: 'm', role: 'assistant', content: [], usage } })
export const blockStart = (index: number, block: object) =>
  event('content_block_start', { index, content_block: block })
export const delta = (index: number, change: object) => event('content_block_delta', { index, delta: change })
export const blockStop = (index: number) => event('content_block_stop', { index })
export const stopped = (reason: string | null) =>
  event('message_delta', { delta: { stop_reason: reason }, usage: { output_tokens: 50 } }) + event('message_stop', {})

/** The provider's events for an answer, one block after the other. */
export function eventsOf({ thinking, text, calls = [], stopReason }: ScriptedAnswer): readonly string[] {
  const blocks = [
    ...(thinking === undefined
      ? []
      : [[{ type: 'thinking', thinking: '', signature: '' }, ...thinkingDeltas(thinking)]]),
    ...(text === undefined
      ? []
      : [
          [
            { type: 'text', text: '' },
            { type: 'text_delta', text },
          ],
        ]),
    ...calls.map(({ id, name, input }) => [
      { type: 'tool_use', id, name, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    ]),
  ]
  const ofBlocks = blocks.flatMap(([block = {}, ...deltas], index) => [
    blockStart(index, block),
    ...deltas.map((change) => delta(index, change)),
    blockStop(index),
  ])
  return [started, ...ofBlocks, stopped(stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn'))]
}

const thinkingDeltas = (thinking: string) => [
  { type: 'thinking_delta', thinking },
  { type: 'signature_delta', signature: 'sig' },
]

export const statusOf: Partial<Record<ModelErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  rate_limited: 429,
  server: 500,
  overloaded: 529,
}

/** Plays an answer over HTTP in the protocol of the Messages API. A fault is a status, or a connection that breaks after a number of events. */
export const playAnthropic =
  (answer: ScriptedAnswer): Answer =>
  (response) => {
    const { fault, until } = answer
    const status = fault && fault.with !== 'end' ? statusOf[fault.with] : undefined
    if (status !== undefined) {
      const wait = fault?.retryAfterMs === undefined ? {} : { 'retry-after': String(fault.retryAfterMs / 1000) }
      response.writeHead(status, wait).end('')
      return
    }
    const events = eventsOf(answer)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const one of fault ? events.slice(0, fault.afterEvents) : until ? events.slice(0, -1) : events)
      response.write(one)
    if (fault || !until) response.end()
  }
