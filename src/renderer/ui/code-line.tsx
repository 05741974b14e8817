import type { ReactNode } from 'react'
import { keyed } from './keyed.ts'
import type { CodePiece } from './syntax.ts'
import { VisibleText } from './visible-text-view.tsx'

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
