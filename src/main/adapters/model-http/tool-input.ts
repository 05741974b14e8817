import { isJson, type JsonObject } from '#shared/base/json.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { ToolCallPart } from '#shared/model/message.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** A call as it came over a stream. */
export interface StreamedCall {
  readonly id: ToolCallId
  readonly name: string
  /** The arguments as text. Empty for a call without arguments. */
  readonly json: string
}

/** How many characters are shown of an input that is not a JSON object. */
const shownInput = 200

/** The call with its arguments. One whose arguments are not a JSON object cannot run, and the model learns why. */
export function toToolCall({ id, name, json }: StreamedCall): ToolCallPart {
  const input = readToolInput(json)
  const call = { type: 'tool_call', callId: id, name } as const
  return input ? { ...call, input } : { ...call, input: {}, unreadable: beginningOf(json, shownInput) }
}

/** The arguments of a call as text. Some servers send them as the object itself. Empty for none. */
export function toInputJson(sent: unknown): string {
  if (typeof sent === 'string') return sent
  return sent === undefined || sent === null ? '' : JSON.stringify(sent)
}

/** Arguments of real tools are a few levels deep. What is far deeper could not be stored and sent again. */
const maxInputDepth = 200

/** The arguments of a call, which must be complete. Undefined when they are not a JSON object. */
export function readToolInput(json: string): JsonObject | undefined {
  try {
    const input: unknown = json.trim() === '' ? {} : JSON.parse(json)
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    return isObject && isJson(input, maxInputDepth) ? (input as JsonObject) : undefined
  } catch {
    return undefined
  }
}
