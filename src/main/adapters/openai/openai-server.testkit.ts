import type { ScriptedAnswer } from '#core/ports/model-client.testkit.ts'
import type { ModelErrorCode } from '#core/ports/model-client.ts'
import type { StopReason } from '#shared/model/message.ts'
import type { Answer } from '../model-http/model-server.testkit.ts'

/** One chunk of a stream. */
export const chunk = (data: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...data })}\n\n`
export const delta = (change: object, finish: string | null = null): string =>
  chunk({ choices: [{ index: 0, delta: change, finish_reason: finish }] })
export const done = 'data: [DONE]\n\n'

const finishReasons: Partial<Record<StopReason, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
}

/** How a server says what it says. */
export interface CompletionStyle {
  /** `end`: in a chunk after the last one. `none`: never. */
  readonly usage?: 'end' | 'none'
  /** The name of the field that holds thoughts. */
  readonly thoughts?: 'reasoning_content' | 'reasoning'
  /** Whether each call comes in one piece and without an index. */
  readonly wholeCalls?: boolean
  /** Whether the reason is `stop` although there are calls. */
  readonly stopForCalls?: boolean
}

/** The chunks for an answer. Calls are mixed, as models send them that make several at once. */
export function chunksOf(answer: ScriptedAnswer, style: CompletionStyle = {}): readonly string[] {
  const { thinking, text, calls = [], stopReason } = answer
  const { usage = 'end', thoughts = 'reasoning_content', wholeCalls = false, stopForCalls = false } = style
  const reason = finishReasons[stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn')] ?? 'stop'
  const pieces = calls.map(({ input }) => {
    const json = JSON.stringify(input)
    const half = Math.ceil(json.length / 2)
    return wholeCalls ? [json] : [json.slice(0, half), json.slice(half)]
  })
  const first = calls.map(({ id, name }, index) => ({
    ...(!wholeCalls && { index }),
    ...{ id, type: 'function', function: { name, arguments: pieces[index]?.[0] ?? '' } },
  }))
  const rest = wholeCalls ? [] : calls.map((_, index) => ({ index, function: { arguments: pieces[index]?.[1] ?? '' } }))
  return [
    delta({ role: 'assistant', content: '' }),
    ...(thinking === undefined ? [] : [delta({ [thoughts]: thinking })]),
    ...(text === undefined ? [] : [delta({ content: text })]),
    ...first.map((call) => delta({ tool_calls: [call] })),
    ...rest.map((call) => delta({ tool_calls: [call] })),
    delta({}, stopForCalls && calls.length > 0 ? 'stop' : reason),
    ...(usage === 'end' ? [chunk({ choices: [], usage: reportedUsage })] : []),
  ]
}

export const reportedUsage = {
  prompt_tokens: 1110,
  completion_tokens: 50,
  prompt_tokens_details: { cached_tokens: 1000 },
}

const statusOf: Partial<Record<ModelErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  rate_limited: 429,
  server: 500,
  overloaded: 529,
}

/** Plays an answer over HTTP as chat completions. A fault is a status, or a connection that breaks after some chunks. */
export const playOpenAi =
  (answer: ScriptedAnswer, style: CompletionStyle = {}): Answer =>
  (response) => {
    const { fault, until } = answer
    const status = fault && fault.with !== 'end' ? statusOf[fault.with] : undefined
    if (status !== undefined) {
      const wait = fault?.retryAfterMs === undefined ? {} : { 'retry-after': String(fault.retryAfterMs / 1000) }
      response.writeHead(status, wait).end('')
      return
    }
    const chunks = chunksOf(answer, style)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const sent = fault
      ? chunks.slice(0, fault.afterEvents)
      : until
        ? chunks.slice(0, style.usage === 'none' ? -1 : -2)
        : [...chunks, done]
    for (const one of sent) response.write(one)
    if (fault || !until) response.end()
  }
