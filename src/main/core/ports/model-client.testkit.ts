import type { JsonObject } from '#shared/base/json.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { AssistantPart, StopReason } from '#shared/model/message.ts'
import { noUsage, type Usage } from '#shared/model/models/usage.ts'
import {
  type ModelClient,
  ModelError,
  type ModelErrorCode,
  type ModelInfo,
  type ModelReply,
  type ModelRequest,
  type ModelStreamEvent,
  type RequestMessage,
} from './model-client.ts'

export interface ScriptedCall {
  readonly name: string
  readonly input: JsonObject
  /** Counted by default, so that the same script gives the same ids. */
  readonly id?: string
  /** The beginning of what was sent in place of the input. */
  readonly unreadable?: string
}

/** A failure after this many events of the stream. `end` is a stream that ends without its reply. */
export interface ScriptedFault {
  readonly afterEvents: number
  readonly with: ModelErrorCode | 'end'
  /** Milliseconds that the server asks to wait. */
  readonly retryAfterMs?: number
  readonly message?: string
}

/** One reply, or a failure in its place. */
export interface ScriptedAnswer {
  readonly thinking?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** By default `tool_use` with calls and `end_turn` without. */
  readonly stopReason?: StopReason
  /** Overrides the default of one call without tokens. */
  readonly usage?: Partial<Usage>
  readonly fault?: ScriptedFault
  /** Holds the reply back until it resolves or the request is stopped. Text is streamed before. */
  readonly until?: Promise<unknown>
}

export interface SeenRequests {
  /** Number of requests before this one, by any agent. */
  readonly count: number
  /** Number of earlier requests with the same messages: 0 unless this is a retry. */
  readonly tries: number
}

/** A model that answers from a script. Anything else that the script does happens during the request. */
export type ModelScript = (request: ModelRequest, seen: SeenRequests) => ScriptedAnswer

export interface ScriptedModel extends ModelClient {
  /** Every request, in order of arrival. */
  readonly requests: readonly ModelRequest[]
}

/**
 * Streams like a real client: thinking, then text in pieces, then the whole reply, once. It yields between events, so
 * that other agents and a stop can run in between. It has no network, no delays and no limit of tokens, and it reads no
 * prices.
 */
export function createScriptedModel(script: ModelScript, models: readonly ModelInfo[] = []): ScriptedModel {
  const requests: ModelRequest[] = []
  const asked = new Map<string, number>()
  return {
    requests,
    async *stream(request, signal) {
      signal.throwIfAborted()
      const key = JSON.stringify([request.system, request.messages])
      const tries = asked.get(key) ?? 0
      asked.set(key, tries + 1)
      const seen = { count: requests.length, tries }
      requests.push(request)
      yield* played(script(request, seen), replyIds(request), signal)
    },
    models: async (signal) => {
      signal.throwIfAborted()
      return models
    },
  }
}

async function* played(
  answer: ScriptedAnswer,
  nextId: () => string,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent> {
  const { fault } = answer
  const events: readonly ModelStreamEvent[] = [
    ...piecesOf(answer.thinking).map((text) => ({ type: 'thinking', text }) as const),
    ...piecesOf(answer.text).map((text) => ({ type: 'text', text }) as const),
  ]
  for (const [index, event] of events.entries()) {
    if (fault && index >= fault.afterEvents) break
    await giveWay(signal)
    yield event
  }
  await giveWay(signal)
  if (fault) {
    if (fault.with === 'end') return
    throw new ModelError(fault.with, fault.message ?? `The script fails: ${fault.with}.`, fault.retryAfterMs ?? null)
  }
  if (answer.until) await untilAborted(answer.until, signal)
  yield { type: 'reply', reply: toReply(answer, nextId) }
}

function toReply({ thinking, text, calls = [], stopReason, usage }: ScriptedAnswer, nextId: () => string): ModelReply {
  const content: AssistantPart[] = [
    ...(thinking === undefined ? [] : [{ type: 'thinking', text: thinking, signature: 'script' } as const]),
    ...(text === undefined ? [] : [{ type: 'text', text } as const]),
    ...calls.map(({ name, input, id, unreadable }): AssistantPart => {
      const callId = (id ?? nextId()) as ToolCallId
      return { type: 'tool_call', callId, name, input, ...(unreadable !== undefined && { unreadable }) }
    }),
  ]
  return {
    content,
    stopReason: stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    usage: { ...noUsage, modelCalls: 1, ...usage },
  }
}

/** Ids that no other reply of the conversation uses. */
function replyIds(request: ModelRequest): () => string {
  let next = 0
  return () => {
    next += 1
    return `call_${turnOf(request)}_${next}`
  }
}

/** One word at a time. */
function piecesOf(text = ''): readonly string[] {
  return text.split(/(?<=\s)/).filter((piece) => piece !== '')
}

async function giveWay(signal: AbortSignal): Promise<void> {
  await Promise.resolve()
  signal.throwIfAborted()
}

function untilAborted(held: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([held, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}

/** The text of the first message, which is the task. Scripts find an agent's part by it. */
export function taskOf({ messages }: ModelRequest): string {
  return messages[0] ? textIn(messages[0]) : ''
}

/** Number of replies that the agent has given so far. */
export function turnOf({ messages }: ModelRequest): number {
  return messages.filter(({ role }) => role === 'assistant').length
}

/** The results in the last message, as text by call id. */
export function lastResults({ messages }: ModelRequest): ReadonlyMap<string, string> {
  const content = messages.at(-1)?.content ?? []
  return new Map(
    content.flatMap((part) =>
      part.type === 'tool_result'
        ? [[part.callId, part.content.map((one) => (one.type === 'text' ? one.text : '')).join('')] as const]
        : [],
    ),
  )
}

function textIn({ content }: RequestMessage): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** A script by task. An agent whose task starts with a key gets that key's replies, one after the other. */
export function byTask(scripts: Readonly<Record<string, readonly ScriptedAnswer[]>>): ModelScript {
  return (request) => {
    const task = taskOf(request)
    const key = Object.keys(scripts).find((start) => task.startsWith(start))
    return (key === undefined ? undefined : scripts[key]?.[turnOf(request)]) ?? { text: 'Nothing left to do.' }
  }
}

/** A script that makes these calls, each in a reply of its own, with the ids `c0`, `c1`, …. Then the agent is done. */
export function callingInTurn(calls: readonly (readonly [name: string, input: object])[]): ModelScript {
  return (request) => {
    const turn = turnOf(request)
    const [name, input] = calls[turn] ?? []
    return name ? { calls: [{ name, id: `c${turn}`, input: input as JsonObject }] } : { text: 'Done.' }
  }
}
