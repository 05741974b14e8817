import type { ReactNode } from 'react'
import { splitVisible } from './visible-text.ts'

/** Text with every invisible character shown as an escape. */
export function VisibleText({ text }: { text: string }): ReactNode {
  const pieces = splitVisible(text)
  if (pieces.every((piece) => !piece.escaped)) return text
  return pieces.map((piece, index) =>
    piece.escaped ? (
      // The pieces of one text never move.
      <mark key={`${index}-${piece.text}`} className="rounded-sm bg-bad-soft px-0.5 font-semibold text-bad">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  )
}
