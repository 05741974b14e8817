/** A request to the Messages API, with only the parts that scenarios read. */
export interface ApiRequest {
  readonly model: string
  readonly system?: unknown
  readonly tools?: readonly { readonly name: string; readonly input_schema: unknown }[]
  readonly messages: readonly ApiMessage[]
}
export interface ApiMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly ApiBlock[]
}
export type ApiBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool_result'
      readonly tool_use_id: string
      readonly content: unknown
      readonly is_error?: boolean
    }
  | { readonly type: 'image' | 'thinking' }

export interface Call {
  readonly name: string
  readonly input: unknown
  readonly id?: string
  /** Sent as it is in place of `input`, for JSON that is broken or cut. */
  readonly rawInput?: string
}

/** An error on the way to the client. */
export type Fault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The connection breaks after this many server-sent events. */
  | { readonly kind: 'cut'; readonly afterEvents: number }
  /** The connection stays open and silent after this many events. */
  | { readonly kind: 'stall'; readonly afterEvents: number }
  /** A line that does not belong to the protocol, after this many events. */
  | { readonly kind: 'garbage'; readonly afterEvents: number }

export interface Answer {
  readonly text?: string
  readonly calls?: readonly Call[]
  readonly stopReason?: string
  readonly delayMs?: number
  /** The answer waits for this promise, so that a test decides when it comes. */
  readonly after?: Promise<void>
  /** Milliseconds between pieces of text. */
  readonly pauseMs?: number
  readonly fault?: Fault
  readonly usage?: {
    readonly input_tokens?: number
    readonly output_tokens?: number
    readonly cache_read_input_tokens?: number
  }
}

/** A scripted model. Its answer depends on the request, and on how often the same request came before. */
export type Scenario = (request: ApiRequest, seen: Seen) => Answer

export interface Seen {
  /** The number of requests before this one. */
  readonly count: number
  /** The number of earlier requests with the same messages: 0 unless a client tries again. */
  readonly tries: number
}

/** The text of the first user message. This task says which part an agent plays in a scenario. */
export function taskOf(request: ApiRequest): string {
  const content = request.messages[0]?.content
  if (typeof content === 'string') return content
  const block = content?.find((one) => one.type === 'text')
  return block?.type === 'text' ? block.text : ''
}

/** The system prompt of a request, as JSON text. */
export function systemOf(request: ApiRequest | undefined): string {
  return JSON.stringify(request?.system ?? '')
}

/** The number of replies that the agent has given so far. */
export function turnOf(request: ApiRequest): number {
  return request.messages.filter(({ role }) => role === 'assistant').length
}

/** The results in the last message, as text by call id. */
export function lastResults(request: ApiRequest): ReadonlyMap<string, string> {
  const content = request.messages.at(-1)?.content
  if (!content || typeof content === 'string') return new Map()
  return new Map(
    content.flatMap((block) =>
      block.type === 'tool_result' ? [[block.tool_use_id, plain(block.content)] as const] : [],
    ),
  )
}

function plain(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((block: { text?: string }) => block.text ?? '').join('')
}

/** Scripts by task. The agent whose task starts with a key gives that key's replies, one after the other. */
export function byTask(scripts: Readonly<Record<string, readonly Answer[]>>): Scenario {
  return (request) => {
    const task = taskOf(request)
    const key = Object.keys(scripts).find((start) => task.startsWith(start))
    return (key === undefined ? undefined : scripts[key]?.[turnOf(request)]) ?? { text: 'Nothing left to do.' }
  }
}

/** A scenario that makes these calls, each in a reply of its own, with the ids `c0`, `c1`, …. Then the agent is done. */
export function callingInTurn(calls: readonly Call[]): Scenario {
  return (request) => {
    const turn = turnOf(request)
    const call = calls[turn]
    return call ? { calls: [{ ...call, id: `c${turn}` }] } : { text: 'done' }
  }
}
