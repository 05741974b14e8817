import type { JsonObject } from '../base/json.ts'
import type { AttemptsWish } from './calls/attempts.ts'
import type { BranchId, MessageId, ToolCallId } from './ids.ts'
import type { Effort } from './models/model-facts.ts'
import type { VirtualPath } from './virtual-path.ts'

export type TextPart = { readonly type: 'text'; readonly text: string }
/** `signature` is the provider's proof that the thinking is its own; it is sent back unchanged. */
export type ThinkingPart = {
  readonly type: 'thinking'
  readonly text: string
  readonly signature: string
  /** What else its maker attached to the message and wants back unchanged, by the maker's names. Absent for nothing. */
  readonly attached?: JsonObject | undefined
}
export type RedactedThinkingPart = { readonly type: 'redacted_thinking'; readonly data: string }
export type ToolCallPart = {
  readonly type: 'tool_call'
  readonly callId: ToolCallId
  readonly name: string
  readonly input: JsonObject
  /** The beginning of what was sent in place of the input, if that was not a JSON object. */
  readonly unreadable?: string | undefined
  /** What its maker attached to the call and wants back unchanged, by the maker's names. Absent for nothing. */
  readonly attached?: JsonObject | undefined
}
export type ImagePart = {
  readonly type: 'image'
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  /** Base64 without line breaks. */
  readonly data: string
}

export type UserPart = TextPart | ImagePart
export type AssistantPart = TextPart | ThinkingPart | RedactedThinkingPart | ToolCallPart

/** Who typed a user message: a person, the parent agent (a subagent's task), or Coppice itself (a notice). */
export type MessageOrigin = 'person' | 'parent' | 'notice'

/** What a notice is about, where something depends on that. Its words are for the model and the person alone. */
export type Notice =
  /** The answer does not fit its schema; the next reply is the last one without tools; replies are left again; nothing was said. */
  | { readonly kind: 'answer_misfit' | 'last_reply' | 'new_replies' | 'empty_reply' | 'todos' }
  /** Results of calls that an external agent did not wait for. */
  | { readonly kind: 'late_results' }
  /** The agent was sent back. `checks` are those that were not green; empty when only criteria were not met. */
  | { readonly kind: 'goal'; readonly checks: readonly string[] }
  /** All files in which the agent's branch and another one of its family do not join, as the agent knows it from now on. */
  | {
      readonly kind: 'overlap'
      readonly files: readonly { readonly branchId: BranchId; readonly path: VirtualPath }[]
    }
  /** The person changed these files of the branch in a folder of theirs, and the agent had read them. */
  | { readonly kind: 'files'; readonly paths: readonly VirtualPath[] }

/** What the command that a message begins with says about the run that answers it. */
export interface CommandUse {
  /** What the person typed after the slash. */
  readonly name: string
  /** Rules for the calls that it is about: all others that change something ask. Null for no limit. */
  readonly allowedTools: readonly string[] | null
  /** The full name of the model that answers. Null for the thread's own. */
  readonly model: string | null
  /** Null for the thread's own. */
  readonly effort: Effort | null
}

export type UserMessage = {
  readonly role: 'user'
  readonly messageId: MessageId
  readonly origin: MessageOrigin
  readonly content: readonly UserPart[]
  /** Absent for a message without a command, and for a command that says nothing about its run. */
  readonly command?: CommandUse | undefined
  /** Absent for what is no notice of such a kind. Journals of versions up to 0.9.0 lack it: ask `noticeIn`. */
  readonly notice?: Notice | undefined
  /** Set when a person wants the message tried several times at once. */
  readonly attempts?: AttemptsWish | undefined
}
export type AssistantMessage = {
  readonly role: 'assistant'
  readonly messageId: MessageId
  readonly content: readonly AssistantPart[]
  readonly stopReason: StopReason
  /** The model that said it. Absent in journals of before it was kept. */
  readonly model?: string | undefined
}
/** What the model sees. Tool results are not messages: they are read from `tool.finished` entries by call id. */
export type Message = UserMessage | AssistantMessage

export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'refusal'
  | 'pause_turn'
  | 'context_window_exceeded'
  | 'unknown'

export type ToolOutcome = 'ok' | 'error' | 'rejected' | 'cancelled'

export interface ToolResult {
  readonly outcome: ToolOutcome
  readonly content: readonly UserPart[]
  /** The server, as settings call it, to which a person has to log in before such a call works. Absent for none. */
  readonly login?: string
}

export function textOf(parts: readonly (UserPart | AssistantPart)[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export function toolCallsOf(message: Pick<AssistantMessage, 'content'>): readonly ToolCallPart[] {
  return message.content.filter((part) => part.type === 'tool_call')
}
