import type { ReactNode } from 'react'
import type { Token } from '../code/token.ts'
import { VisibleText } from '../controls/visible-text.tsx'
import { withKeys } from '../react/elements.tsx'
import type { TextRange } from './word-diff.ts'

/** Parts of a line that stand out, and how. */
export interface TextMarks {
  readonly ranges: readonly TextRange[]
  readonly className: string
}

interface MarkedTextProps {
  readonly tokens: readonly Token[]
  readonly marks: readonly TextMarks[]
}

/** A line of code in its colours, with parts of it marked. */
export function MarkedText({ tokens, marks }: MarkedTextProps): ReactNode {
  return withKeys(splitAtMarks(tokens, marks)).map(({ key, item: { text, className } }) =>
    className === '' ? (
      <VisibleText key={key} text={text} />
    ) : (
      <span key={key} className={className}>
        <VisibleText text={text} />
      </span>
    ),
  )
}

/** Cuts the tokens where a mark begins or ends, and adds its class to those within. */
function splitAtMarks(tokens: readonly Token[], marks: readonly TextMarks[]): readonly Token[] {
  const cuts = [...new Set(marks.flatMap(({ ranges }) => ranges.flatMap(({ from, to }) => [from, to])))].sort(
    (one, other) => one - other,
  )
  const pieces: Token[] = []
  let at = 0
  for (const { text, className } of tokens) {
    const end = at + text.length
    const bounds = [at, ...cuts.filter((cut) => cut > at && cut < end), end]
    for (const [index, from] of bounds.entries()) {
      const to = bounds[index + 1]
      if (to === undefined || to === from) continue
      const own = marks.filter(({ ranges }) => ranges.some((range) => range.from <= from && range.to >= to))
      const classes = [className, ...own.map((mark) => mark.className)].filter((name) => name !== '')
      pieces.push({ text: text.slice(from - at, to - at), className: classes.join(' ') })
    }
    at = end
  }
  return pieces
}

/** Where a text holds the query, in any case. Empty for an empty query. */
export function occurrencesOf(text: string, query: string): readonly TextRange[] {
  if (query === '') return []
  const [inText, wanted] = [text.toLowerCase(), query.toLowerCase()]
  // Some characters change their length with their case. Then the places would be wrong.
  const haystack = inText.length === text.length ? inText : text
  const ranges: TextRange[] = []
  for (let at = haystack.indexOf(wanted); at >= 0; at = haystack.indexOf(wanted, at + wanted.length)) {
    ranges.push({ from: at, to: at + wanted.length })
  }
  return ranges
}
