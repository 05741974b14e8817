import { ModelError } from '#core/ports/model-client.ts'
import type { StopReason } from '#shared/model/message.ts'
import type { SentCall, SentPart } from './check-reply.ts'
import { readToolInput } from './tool-input.ts'

/** How servers of several makers say why a model ended. The first fitting row counts. */
const words: readonly (readonly [RegExp, StopReason | 'failed'])[] = [
  [/^(tool|function)_?(use|call)s?$/, 'tool_use'],
  [/error|fail|malformed|abort|cancel|insufficient/, 'failed'],
  [/refus|filter|safety|prohibit|blocklist|recitation|sensitive|guardrail/, 'refusal'],
  [/^pause/, 'pause_turn'],
  [/context/, 'context_window_exceeded'],
  [/length|limit|max_/, 'max_tokens'],
  [/^stop_sequence$/, 'stop_sequence'],
  [/^(stop|end|eos|eot|done|complete|finish)/, 'end_turn'],
]

/**
 * Why the model ended. A server that gave no reason ended all the same. Throws `ModelError` where the reason is that the
 * server failed, so that the request is tried again.
 */
export function readStopReason(sent: unknown): StopReason {
  if (sent === undefined || sent === null || sent === '') return 'end_turn'
  if (typeof sent !== 'string') return 'unknown'
  const word = sent.toLowerCase().replaceAll('-', '_')
  const reason = words.find(([pattern]) => pattern.test(word))?.[1] ?? 'unknown'
  if (reason === 'failed') throw new ModelError('cut', `The provider ended the answer with the reason "${sent}".`)
  return reason
}

/** Reasons after which the last call may be the beginning of one. */
const cutting: ReadonlySet<StopReason> = new Set(['max_tokens', 'context_window_exceeded', 'refusal', 'unknown'])

/**
 * True for a call that arrived whole, whatever the reason: an object that can be read has its end. After a cut, a call
 * without any arguments may have lost them.
 */
export function isWhole({ json }: Pick<SentCall, 'json'>, reason: StopReason): boolean {
  if (!cutting.has(reason)) return true
  return json.trim() !== '' && readToolInput(json) !== undefined
}

/** The reason of a reply with these parts: one with calls waits for their results. Those of a refused one do not run. */
export function withCalls(reason: StopReason, content: readonly SentPart[]): StopReason {
  if (reason === 'refusal') return reason
  return content.some(({ type }) => type === 'tool_call') ? 'tool_use' : reason
}
