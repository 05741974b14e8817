import type { ReactNode } from 'react'
import { keyed } from './keyed.ts'
import { splitVisible } from './visible-text.ts'

/** Text with every invisible character shown as an escape. */
export function VisibleText({ text }: { text: string }): ReactNode {
  const pieces = splitVisible(text)
  if (pieces.every((piece) => !piece.escaped)) return text
  return keyed(pieces).map(({ key, item }) =>
    item.escaped ? (
      <mark key={key} className="rounded-sm bg-bad-soft px-0.5 font-semibold text-bad">
        {item.text}
      </mark>
    ) : (
      item.text
    ),
  )
}
