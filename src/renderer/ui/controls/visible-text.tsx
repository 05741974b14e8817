import type { ReactNode } from 'react'
import { withKeys } from '../react/elements.tsx'
import { splitVisible } from './split-visible.ts'

/** Text with every invisible character shown as an escape. */
export function VisibleText({ text }: { text: string }): ReactNode {
  const pieces = splitVisible(text)
  if (pieces.every((piece) => !piece.escaped)) return text
  return withKeys(pieces).map(({ key, item }) =>
    item.escaped ? (
      <mark key={key} className="rounded-sm bg-bad-soft px-0.5 font-semibold text-bad">
        {item.text}
      </mark>
    ) : (
      item.text
    ),
  )
}
