import { Fragment, type ReactNode } from 'react'
import { CodeLine } from './code-line.tsx'
import { keyed } from './keyed.ts'
import type { Syntax } from './syntax.ts'
import { VisibleText } from './visible-text-view.tsx'

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
