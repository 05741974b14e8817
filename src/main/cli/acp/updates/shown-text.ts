import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { tailOf } from '#shared/text/whole-characters.ts'
import { type Line, plainText } from '../../screen/spans.ts'

/** Characters of one output that an editor gets. */
const mostOutput = 32_000

/** A text, or the end of a long one. */
export function endOfText(text: string): string {
  return text.length <= mostOutput ? text : `[…]\n${tailOf(text, mostOutput)}`
}

/** What a terminal would show, as plain text. */
export function linesText(lines: readonly Line[]): string {
  return lines.map(plainText).join('\n')
}

/** A text as code in Markdown, whatever marks it holds. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/^`{3,}/gm)].map(([marks]) => marks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}

/** Something that Coppice itself says, as a paragraph of the conversation. */
export function remark(text: string): SessionUpdate {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `\n\n${text}\n\n` } }
}
