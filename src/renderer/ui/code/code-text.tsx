import { Fragment, type ReactNode } from 'react'
import { VisibleText } from '../controls/visible-text.tsx'
import { keyed } from '../react/elements.tsx'
import type { CodePiece, Syntax } from './use-highlighter.ts'

/** Characters from which on code stays plain: it is minified, or too much to read at once. */
const tooLong = 20_000

/** Code in its colours, every invisible character shown as an escape. */
export function CodeText({ text, syntax }: { readonly text: string; readonly syntax: Syntax | null }): ReactNode {
  if (!syntax || text.length > tooLong) return <VisibleText text={text} />
  return keyed(syntax.linesOf(text)).map(({ key, item }, index) => (
    <Fragment key={key}>
      {index > 0 && '\n'}
      <CodeLine pieces={item} />
    </Fragment>
  ))
}

/** A line of code in its colours, every invisible character shown as an escape. */
export function CodeLine({ pieces }: { readonly pieces: readonly CodePiece[] }): ReactNode {
  return keyed(pieces).map(({ key, item }) =>
    item.ink === '' ? (
      <VisibleText key={key} text={item.text} />
    ) : (
      <span key={key} className={item.ink}>
        <VisibleText text={item.text} />
      </span>
    ),
  )
}
