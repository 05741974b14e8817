import { Fragment, type ReactNode } from 'react'
import { VisibleText } from '../controls/visible-text.tsx'
import { withKeys } from '../react/elements.tsx'
import type { Highlighter, Token } from './token.ts'

/** Characters from which on code stays plain: it is minified, or too much to read at once. */
const tooLong = 20_000

/** Code in its colours, every invisible character shown as an escape. */
export function CodeText({
  text,
  highlighter,
}: {
  readonly text: string
  readonly highlighter: Highlighter | null
}): ReactNode {
  if (!highlighter || text.length > tooLong) return <VisibleText text={text} />
  return withKeys(highlighter.tokenize(text)).map(({ key, item }, index) => (
    <Fragment key={key}>
      {index > 0 && '\n'}
      <CodeLine tokens={item} />
    </Fragment>
  ))
}

/** A line of code in its colours, every invisible character shown as an escape. */
export function CodeLine({ tokens }: { readonly tokens: readonly Token[] }): ReactNode {
  return withKeys(tokens).map(({ key, item }) =>
    item.className === '' ? (
      <VisibleText key={key} text={item.text} />
    ) : (
      <span key={key} className={item.className}>
        <VisibleText text={item.text} />
      </span>
    ),
  )
}
