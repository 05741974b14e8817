import { type Call, derivedCallsOf, resultOf } from '#shared/model/calls/call.ts'
import { type AssistantPart, type Message, type ToolCallPart, textOf, type UserPart } from '#shared/model/message.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { oneLine } from '#shared/text/control-characters.ts'

/** A thread's conversation as Markdown. `messages` selects a part of it. */
export function transcriptOf(thread: ThreadState, messages: readonly Message[] = thread.messages): string {
  const title = thread.parent
    ? `## Subagent ${oneLine(thread.agent)} (${thread.parent.handle})`
    : `# ${oneLine(thread.title)}`
  return [title, '', ...messages.map((message) => messageText(thread, message))].join('\n')
}

const speakers = { person: 'User', parent: 'Task', notice: 'Notice' } as const

export function messageText(thread: ThreadState, message: Message): string {
  if (message.role === 'user') return `**${speakers[message.origin]}**\n\n${plainText(message.content)}\n`
  return `**Agent**\n\n${assistantText(thread, message.content)}\n`
}

/** Text unchanged, and images by their kind. */
export function plainText(content: readonly UserPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType} image]`)).join('\n')
}

function assistantText(thread: ThreadState, content: readonly AssistantPart[]): string {
  return content
    .map((part) => (part.type === 'tool_call' ? callsText(thread, part) : textOf([part])))
    .filter(Boolean)
    .join('\n\n')
}

/** A call by the model, with the call that the loop derived from it. */
function callsText({ calls }: ThreadState, { name, callId }: ToolCallPart): string {
  const call = calls.get(callId)
  const derived = call ? derivedCallsOf(call).flatMap((one) => calls.get(one) ?? []) : []
  return [callText(name, call), ...derived.map((one) => callText(one.name, one))].filter(Boolean).join('\n\n')
}

function callText(name: string, call: Call | undefined): string {
  const input = fence(JSON.stringify(call?.input ?? {}, null, 2), 'json')
  const result = fence(plainText(resultOf(call)?.content ?? []), '')
  return `Tool call \`${name}\`:\n\n${input}\n\nResult (${resultOf(call)?.outcome ?? 'none'}):\n\n${result}`
}

/** A fence longer than any in the text, so that the text cannot close it. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
