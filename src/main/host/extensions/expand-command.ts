import { withoutPunctuation } from '#shared/model/messages/mentions.ts'

/** What a body may name with `@` in one message. */
const mostNamed = 10
/** What a command may say in one message. A body may repeat the words of a person a hundred thousand times. */
const mostCharacters = 1_000_000

export interface Expansion {
  readonly text: string
  /** What the body names with `@`, in its order, without repeats: words that may be files, folders or nothing. */
  readonly named: readonly string[]
}

/**
 * The body of a command with the words of a person filled in. `$ARGUMENTS` stands for all of them, `$1` to `$99` for single
 * ones, `$ARGUMENTS[0]` for the first. A body with `$0` or with such an index counts its `$1` from 0 too. `\$` is a plain
 * sign. What is filled in is never read again, so an argument can hold any of these. Arguments that a body has no place
 * for follow it. Null when it would be too long for a message. Forms as in the public documentation of Claude Code; `` !`…` `` stays as it is.
 */
export function expandCommand(body: string, given: string): Expansion | null {
  const { fill, length } = filler(body, given)
  if (length + given.length > mostCharacters) return null
  const named = [...body.matchAll(/(?:^|[\s([{"'`])@([^\s@`]+)/g)].map(([, word = '']) =>
    fill(withoutPunctuation(word)),
  )
  const isUsed = body.search(placeholder) >= 0
  const text = fill(body).trim()
  return {
    text: isUsed || given === '' ? text : `${text}\n\nARGUMENTS: ${given}`,
    named: [...new Set(named.filter((name) => name !== ''))].slice(0, mostNamed),
  }
}

const placeholder = /(?<!\\)\$(?:ARGUMENTS(?:\[(\d{1,2})\])?(?![A-Za-z0-9_])|(\d{1,2})(?!\d))/
const anyPlaceholder = new RegExp(`\\\\\\$(?=ARGUMENTS|\\d)|${placeholder.source}`, 'g')

interface Filler {
  readonly fill: (text: string) => string
  /** Of the filled body, in characters. */
  readonly length: number
}

function filler(body: string, given: string): Filler {
  const words = wordsOf(given)
  const first = /\$0(?!\d)|\$ARGUMENTS\[/.test(body) ? 0 : 1
  const meant = (whole: string, index: string | undefined, place: string | undefined): string => {
    if (whole.startsWith('\\')) return '$'
    if (index !== undefined) return words[Number(index)] ?? ''
    return place === undefined ? given : (words[Number(place) - first] ?? '')
  }
  return {
    fill: (text) => text.replace(anyPlaceholder, meant),
    length: [...body.matchAll(anyPlaceholder)].reduce(
      (sum, [whole, index, place]) => sum - whole.length + meant(whole, index, place).length,
      body.length,
    ),
  }
}

/** Words between blanks. Quotes around a whole word keep its blanks. */
export function wordsOf(given: string): readonly string[] {
  return [...given.matchAll(/"([^"]*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}
