import { randomUUID } from 'node:crypto'
import { ModelError, type ModelReply, type ModelRequest } from '#core/ports/model-client.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { AssistantPart, StopReason } from '#shared/model/message.ts'
import { costOf, type ModelFacts } from '#shared/model/models/model-facts.ts'
import { type ReportedTokens, readTokens, withEstimates } from './count-tokens.ts'
import { toToolCall } from './tool-input.ts'

/**
 * A reply as a server sent it. Nobody has checked yet that its fields are what the protocol says, so the types of those
 * that a builder only passes on are unknown.
 */
export interface SentReply {
  readonly content: readonly SentPart[]
  readonly stopReason: StopReason
  readonly tokens: ReportedTokens
}

export type SentPart =
  | { readonly type: 'text'; readonly text: unknown }
  | {
      readonly type: 'thinking'
      readonly text: unknown
      readonly signature: unknown
      readonly attached?: JsonObject | null
    }
  | { readonly type: 'redacted_thinking'; readonly data: unknown }
  | SentCall

export interface SentCall {
  readonly type: 'tool_call'
  readonly id: unknown
  readonly name: unknown
  /** The arguments as text; empty for a call without arguments. */
  readonly json: string
  /** What the maker attached. Null or absent for nothing. */
  readonly attached?: JsonObject | null
}

/**
 * The reply as the journal can keep it. What a server got wrong is mended where the meaning is plain. Throws
 * `ModelError` `malformed` for a call that names no tool. Tokens that the server did not count are estimated.
 */
export function checkReply(
  { content, stopReason, tokens }: SentReply,
  request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>,
  facts: Pick<ModelFacts, 'prices' | 'longPrompt'>,
): ModelReply {
  const ids = new Set<string>()
  const checked = content.flatMap((part) => checkPart(part, ids))
  const counted = withEstimates(readTokens(tokens), checked, request)
  return { content: checked, stopReason, usage: { modelCalls: 1, ...counted, cost: costOf(counted, facts) } }
}

function checkPart(part: SentPart, ids: Set<string>): readonly AssistantPart[] {
  switch (part.type) {
    case 'text': {
      const text = readText(part.text)
      return text === '' ? [] : [{ type: 'text', text }]
    }
    case 'thinking':
      return [{ type: 'thinking', text: readText(part.text), signature: readText(part.signature), ...attachedTo(part) }]
    case 'redacted_thinking': {
      const data = readText(part.data)
      return data === '' ? [] : [{ type: 'redacted_thinking', data }]
    }
    case 'tool_call': {
      const name = readText(part.name)
      if (name.trim() === '') throw new ModelError('malformed', 'The model called a tool without naming it.')
      return [{ ...toToolCall({ id: takeId(part.id, ids), name, json: part.json }), ...attachedTo(part) }]
    }
  }
}

function attachedTo({ attached }: { readonly attached?: JsonObject | null }): { readonly attached?: JsonObject } {
  return attached ? { attached } : {}
}

/** Characters of an id that the journal takes. */
const longestId = 200

/** The id of the call, or a new one where there is none that names this call alone. */
function takeId(sent: unknown, taken: Set<string>): ToolCallId {
  const id = readText(sent)
  const isUsable = id !== '' && id.length <= longestId && !taken.has(id)
  const used = isUsable ? id : `call_${randomUUID()}`
  taken.add(used)
  return used as ToolCallId
}

/** What a server sent in the place of a text. Empty for anything that is none. */
export function readText(sent: unknown): string {
  return typeof sent === 'string' ? sent : ''
}
