import type { ModelRequest } from '#core/ports/model-client.ts'
import type { AssistantPart } from '#shared/model/message.ts'
import type { PricedTokens } from '#shared/model/models/model-facts.ts'
import { charactersPerToken } from '#shared/model/models/usage.ts'

/** Counts as a server sent them, each of them perhaps missing or no number. */
export type ReportedTokens = Readonly<Record<keyof PricedTokens, unknown>>

/** A whole number of zero or more. Null when the server sent nothing that can be read as one. */
export function readCount(sent: unknown): number | null {
  const number = typeof sent === 'string' && sent.trim() !== '' ? Number(sent) : sent
  if (typeof number !== 'number' || number < 0) return null
  const whole = Math.round(number)
  return Number.isSafeInteger(whole) ? whole : null
}

/** What was not reported counts as zero. */
export function readTokens(reported: ReportedTokens): PricedTokens {
  return {
    inputTokens: readCount(reported.inputTokens) ?? 0,
    outputTokens: readCount(reported.outputTokens) ?? 0,
    cacheReadTokens: readCount(reported.cacheReadTokens) ?? 0,
    cacheWriteTokens: readCount(reported.cacheWriteTokens) ?? 0,
  }
}

/**
 * The counts with estimates for a server that reports no input or no output although the model said something. Without
 * them no budget would end a run, and no conversation would be summarised in time. A usage does not say whether it is
 * an estimate.
 */
export function withEstimates(
  counted: PricedTokens,
  content: readonly AssistantPart[],
  request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>,
): PricedTokens {
  if (content.length === 0) return counted
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = counted
  const isInputCounted = inputTokens + cacheReadTokens + cacheWriteTokens > 0
  return {
    ...counted,
    inputTokens: isInputCounted ? inputTokens : estimateInput(request),
    outputTokens: outputTokens > 0 ? outputTokens : toTokens(JSON.stringify(content.map(saidIn)).length),
  }
}

/** Characters that an image counts as. Its data is much longer than what a model reads of it. */
const imageCharacters = 6_000

function estimateInput({ system, tools, messages }: Pick<ModelRequest, 'system' | 'tools' | 'messages'>): number {
  let images = 0
  const text = JSON.stringify([system, tools, messages], (_, value: unknown) => {
    if (!isImage(value)) return value
    images += 1
    return null
  })
  return toTokens(text.length + images * imageCharacters)
}

function isImage(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'image' && 'mediaType' in value
  )
}

/** The part of a reply that its model wrote. */
function saidIn(part: AssistantPart): unknown {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return part.text
    case 'redacted_thinking':
      return part.data
    case 'tool_call':
      return [part.name, part.input]
  }
}

function toTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}
