import type { UserMessage, UserPart } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import { charactersPerToken } from '#shared/model/models/usage.ts'
import { beginningOf, tailOf } from '#shared/text/whole-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { AgentSettings } from '../types/settings.ts'
import { type AgentTuning, findStage, isOn } from '../types/tuning.ts'

/** Estimated tokens of a result that may stay in the conversation. */
export const defaultResultTokens = 20_000

/** Infinity for an agent that keeps every result in its conversation. */
export function resultTokensOf({ resultTokens }: AgentSettings, tuning: AgentTuning): number {
  if (!isOn(tuning, 'eviction')) return Number.POSITIVE_INFINITY
  return findStage(tuning, 'eviction')?.tokens ?? resultTokens
}

/**
 * The same for what a message says. It is never less than usual: who wants short results still wants their words heard. An
 * agent that cannot read files gets every message whole.
 */
export function messageTokensOf(
  settings: AgentSettings,
  tuning: AgentTuning,
  tools: readonly { readonly name: string }[],
): number {
  const canRead = tools.some(({ name }) => name === toolFacts.read_file.name)
  return canRead ? Math.max(resultTokensOf(settings, tuning), defaultResultTokens) : Number.POSITIVE_INFINITY
}

const shownLines = 5
const maxLineLength = 1000

/** The text that replaces a large result in the conversation: its path, its length, its first and last lines. */
export function evictionNotice(path: string, text: string): string {
  const lines = text.split('\n')
  const head = lines.slice(0, shownLines).map(cut)
  const tail = lines.slice(Math.max(shownLines, lines.length - shownLines)).map(cut)
  return [
    `The result was too large for the conversation (${text.length} characters, ${lines.length} lines) and is in ${path}; read it in pages with read_file.`,
    'First lines:',
    ...head,
    ...(tail.length > 0 ? ['Last lines:', ...tail] : []),
  ].join('\n')
}

function cut(line: string): string {
  return line.length > maxLineLength
    ? `${beginningOf(line, maxLineLength)}… (${line.length - maxLineLength} more characters)`
    : line
}

/** Characters of each end of a large message that stay in the conversation. A task often says at an end what to do. */
const shownOfMessage = 4_000

/** What a request says in place of a message. */
export type ShowMessage = (message: UserMessage) => readonly UserPart[]

/**
 * Moves what a message says to a file when it is longer than `messageTokens`: the request has its two ends and the
 * path. Images stay, and what Coppice added for the agent, such as the schema of the answer. `keep` stores a text under
 * a name and returns its path.
 */
export function showMessages(messageTokens: number, keep: (name: string, text: string) => string): ShowMessage {
  return ({ messageId, content }) =>
    content.map((part, index) => {
      if (part.type !== 'text' || part.text.length <= messageTokens * charactersPerToken) return part
      const { text } = readMessageNotes(part.text)
      if (text.length <= messageTokens * charactersPerToken) return part
      const file = keep(`message-${messageId}${index === 0 ? '' : `-${index}`}.txt`, text)
      return { type: 'text', text: `${messageNotice(file, text)}${part.text.slice(text.length)}` }
    })
}

function messageNotice(path: string, text: string): string {
  const ends = [beginningOf(text, shownOfMessage), tailOf(text, shownOfMessage)]
  return `This message was too large for the conversation (${text.length} characters) and is in ${path}; read it there in pages with read_file before you act on it. It begins:\n${ends[0]}\n[…]\nIt ends:\n${ends[1]}`
}
