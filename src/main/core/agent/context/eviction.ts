import { beginningOf } from '#shared/base/whole-characters.ts'
/** Estimated tokens of a result that may stay in the conversation. */
export const defaultResultTokens = 20_000

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
