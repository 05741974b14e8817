/** A request as the Messages API receives it; only what scenarios look at. */
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
  /** Sent instead of `input` as it is, for JSON that is broken or cut. */
  readonly rawInput?: string
}

/** What goes wrong on the way. */
export type Fault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The connection breaks after so many server-sent events. */
  | { readonly kind: 'cut'; readonly afterEvents: number }
  /** The connection stays open and silent after so many events. */
  | { readonly kind: 'stall'; readonly afterEvents: number }
  /** A line that is no event of the protocol, after so many events. */
  | { readonly kind: 'garbage'; readonly afterEvents: number }

export interface Answer {
  readonly text?: string
  readonly calls?: readonly Call[]
  readonly stopReason?: string
  readonly delayMs?: number
  /** The answer comes when this is settled; a test decides when. */
  readonly after?: Promise<void>
  /** Pause between pieces of text. */
  readonly pauseMs?: number
  readonly fault?: Fault
  readonly usage?: {
    readonly input_tokens?: number
    readonly output_tokens?: number
    readonly cache_read_input_tokens?: number
  }
}

/** A scripted model: what it answers follows from what it is asked, and from how often the same was asked before. */
export type Scenario = (request: ApiRequest, seen: Seen) => Answer

export interface Seen {
  /** How many requests came before this one. */
  readonly count: number
  /** How many requests with the same messages came before: 0 unless a client tries again. */
  readonly tries: number
}

/** The text of the first user message: the task that names an agent's part in a scenario. */
export function taskOf(request: ApiRequest): string {
  const content = request.messages[0]?.content
  if (typeof content === 'string') return content
  const block = content?.find((one) => one.type === 'text')
  return block?.type === 'text' ? block.text : ''
}

/** What the agent was told before its conversation. */
export function systemOf(request: ApiRequest | undefined): string {
  return JSON.stringify(request?.system ?? '')
}

/** How many replies the agent has given so far. */
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

/** Scripts by task: the agent whose task starts with a key answers with that key's replies, one after the other. */
export function byTask(scripts: Readonly<Record<string, readonly Answer[]>>): Scenario {
  return (request) => {
    const task = taskOf(request)
    const key = Object.keys(scripts).find((start) => task.startsWith(start))
    return (key === undefined ? undefined : scripts[key]?.[turnOf(request)]) ?? { text: 'Nothing left to do.' }
  }
}
