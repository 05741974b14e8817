import type { ThreadId } from '#shared/model/ids.ts'
import { type AssistantPart, textOf, type UserPart } from '#shared/model/message.ts'
import { familyOf } from '#shared/model/project-state.ts'
import type { CallState, ThreadState } from '#shared/model/thread.ts'
import type { Project } from './project.ts'

/** The conversation of a thread and its subagents as Markdown. */
export function transcriptOf({ services }: Project, threadId: ThreadId): string {
  return familyOf(services.log.state, threadId).map(section).join('\n')
}

/** Every entry of a thread and its subagents, one JSON object a line, in the journal's order. */
export function journalLines({ services }: Project, threadId: ThreadId): string {
  const family = new Set(familyOf(services.log.state, threadId).map(({ id }) => id))
  return services.log
    .entries()
    .filter((entry) => family.has(entry.threadId))
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('')
}

function section(thread: ThreadState): string {
  const title = thread.parent ? `## Subagent ${thread.agent} (${thread.parent.handle})` : `# ${thread.title}`
  const messages = thread.messages.map((message) =>
    message.role === 'user'
      ? `**User**\n\n${textOf(message.content)}\n`
      : `**Agent**\n\n${assistantText(thread, message.content)}\n`,
  )
  return [title, '', ...messages].join('\n')
}

function assistantText(thread: ThreadState, content: readonly AssistantPart[]): string {
  return content
    .map((part) => {
      if (part.type === 'text') return part.text
      return part.type === 'tool_call' ? callText(part.name, thread.calls.get(part.callId)) : ''
    })
    .filter(Boolean)
    .join('\n\n')
}

function callText(name: string, call: CallState | undefined): string {
  const input = fenced(JSON.stringify(call?.input ?? {}, null, 2), 'json')
  return `Tool call \`${name}\`:\n\n${input}\n\nResult (${call?.result?.outcome ?? 'none'}):\n\n${fenced(resultText(call?.result?.content ?? []), '')}`
}

function resultText(content: readonly UserPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType} image]`)).join('\n')
}

/** A fence longer than any in the text, so that the text cannot close it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
