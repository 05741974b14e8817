import type { CommandArgument, DoubleQuotedChild, Word, WordPart } from 'unbash'

/** Separates words in a joined command, because no argument can contain it. */
export const betweenWords = '\u0000'

/** Stands for text that only the shell can tell: none, some letters or several words. */
export const unknownText = '\u0001'

/** What stands between the names of programs in an argument, in code or in a message. */
export const betweenNames = new RegExp(`[^\\p{L}\\p{N}_.+/${unknownText}-]+`, 'u')

/** A word as the shell would pass it on, with `unknownText` for each part that is an expansion or a pattern. */
export function textOf(word: Word): string {
  const { text, value, parts } = word
  const known = parts === undefined ? clean(value) : parts.map(textOfPart).join('')
  return text.startsWith('~') ? `${unknownText}${known.slice(1)}` : known
}

/** An argument as it is passed on. `NAME=value` is one for commands such as `export`. */
export function textOfArgument(argument: CommandArgument): string {
  if (argument.type === 'Word') return textOf(argument)
  const { name, value, index } = argument
  return `${name}${index ? unknownText : ''}=${value.type === 'Word' ? textOf(value) : unknownText}`
}

export function isKnown(text: string): boolean {
  return !text.includes(unknownText)
}

/** The name of a program without its folder. */
export function baseName(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1)
}

function textOfPart(part: WordPart | DoubleQuotedChild): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return clean(part.value)
    case 'AnsiCQuoted':
      // The shell ends such a text at its first NUL.
      return clean(part.value.split(betweenWords, 1)[0] ?? '')
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map(textOfPart).join('')
    default:
      return unknownText
  }
}

function clean(text: string): string {
  return text.replaceAll(betweenWords, unknownText)
}
