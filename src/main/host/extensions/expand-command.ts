/** What a body may name with `@` in one message. */
const mostNamed = 10

export interface Expansion {
  readonly text: string
  /** What the body names with `@`, in its order, without repeats: words that may be files, folders or nothing. */
  readonly named: readonly string[]
}

/**
 * The body of a command with the words of a person filled in. `$ARGUMENTS` stands for all of them, `$1` to `$99` for single
 * ones, `$ARGUMENTS[0]` for the first. A body with `$0` or with such an index counts its `$1` from 0 too. `\$` is a plain
 * sign. What is filled in is never read again, so an argument can hold any of these. Arguments that a body has no place
 * for follow it. Forms as in the public documentation of Claude Code; `` !`…` `` stays as it is.
 */
export function expandCommand(body: string, given: string): Expansion {
  const fill = filler(body, given)
  const named = [...body.matchAll(/(?:^|[\s([{"'`])@([^\s@`]+)/g)].map(([, word = '']) => fill(trimmed(word)))
  const isUsed = body.search(placeholder) >= 0
  const text = fill(body).trim()
  return {
    text: isUsed || given === '' ? text : `${text}\n\nARGUMENTS: ${given}`,
    named: [...new Set(named.filter((name) => name !== ''))].slice(0, mostNamed),
  }
}

const placeholder = /(?<!\\)\$(?:ARGUMENTS(?:\[(\d{1,2})\])?(?![A-Za-z0-9_])|(\d{1,2})(?!\d))/
const anyPlaceholder = new RegExp(`\\\\\\$(?=ARGUMENTS|\\d)|${placeholder.source}`, 'g')

function filler(body: string, given: string): (text: string) => string {
  const words = wordsOf(given)
  const first = /\$0(?!\d)|\$ARGUMENTS\[/.test(body) ? 0 : 1
  return (text) =>
    text.replace(anyPlaceholder, (whole: string, index: string | undefined, place: string | undefined) => {
      if (whole.startsWith('\\')) return '$'
      if (index !== undefined) return words[Number(index)] ?? ''
      return place === undefined ? given : (words[Number(place) - first] ?? '')
    })
}

/** Words between blanks. Quotes around a whole word keep its blanks. */
export function wordsOf(given: string): readonly string[] {
  return [...given.matchAll(/"([^"]*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}

/** Punctuation after a name does not belong to it. */
function trimmed(word: string): string {
  return word.replace(/[)\]}"',.;:!?]+$/, '')
}
