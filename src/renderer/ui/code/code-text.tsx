import { Fragment, type ReactNode } from 'react'
import { VisibleText } from '../controls/visible-text.tsx'
import { withKeys } from '../react/elements.tsx'
import type { Highlighter, Token } from './token.ts'

/** Code with more characters than this stays plain. It is minified, or takes too long to colour. */
const tooLong = 20_000

/** Coloured code. Invisible characters are shown as escapes. */
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

/** One coloured line of code. Invisible characters are shown as escapes. */
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
