import type { JsonObject } from '#shared/base/json.ts'
import { escapeControls } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { subjectOf } from './split-commits.ts'

/** What a model answers that was asked for messages of commits. */
export const messagesSchema: JsonObject = {
  type: 'object',
  properties: { messages: { type: 'array', items: { type: 'string' } } },
  required: ['messages'],
  additionalProperties: false,
}

/** Characters of a body, and of its lines. */
const mostOfBody = 4_000
const widthOfBody = 72

/**
 * The messages in a model's answer, which may stand in a block of code: a subject of at most 72 letters each, and a wrapped body.
 * Null for an answer without exactly one for each of `count` commits. Lines that sign for somebody are left out, because only a
 * person may add those.
 */
export function readMessages(text: string, count: number): readonly string[] | null {
  const said = parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  if (said?.length !== count) return null
  const messages = said.map(clean)
  return messages.includes('') ? null : messages
}

/** Null for what is no list of texts. */
function parse(text: string): readonly string[] | null {
  try {
    const { messages }: { readonly messages?: unknown } = JSON.parse(text)
    return Array.isArray(messages) && messages.every((message) => typeof message === 'string') ? messages : null
  } catch {
    return null
  }
}

const trailer = /^\s*([a-z]+(-[a-z]+)*-by|coppice-thread|change-id)\s*:/i

/** Empty for a message without a subject. */
function clean(message: string): string {
  const lines = beginningOf(message.trim(), 2 * mostOfBody)
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => escapeControls(line.replaceAll('\t', '  ')).trimEnd())
    .filter((line) => !trailer.test(line))
  const at = lines.findIndex((line) => line.trim() !== '')
  if (at < 0) return ''
  const subject = subjectOf(lines[at] ?? '')
  const body = lines
    .slice(at + 1)
    .flatMap(wrap)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd()
  return body === '' ? subject : `${subject}\n\n${beginningOf(body, mostOfBody).trimEnd()}`
}

/** A line in several, each as far in as the text of the first. A word that is too long stays whole. */
function wrap(line: string): readonly string[] {
  const indent = ' '.repeat(/^\s*(?:[-*] )?/.exec(line)?.[0].length ?? 0)
  const lines: string[] = []
  let current = ''
  for (const word of line.slice(indent.length).split(/ +/)) {
    const longer =
      current === '' ? (lines.length === 0 ? line.slice(0, indent.length) : indent) + word : `${current} ${word}`
    if (current === '' || longer.length <= widthOfBody) current = longer
    else {
      lines.push(current)
      current = indent + word
    }
  }
  return [...lines, current]
}
