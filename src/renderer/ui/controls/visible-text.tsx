import type { ReactNode } from 'react'
import { withKeys } from '../react/elements.tsx'

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

/**
 * A command or path can hold characters that change its look but not its meaning: control codes, direction overrides,
 * zero-width and tag characters. They are shown as escapes, so that a person approves what they read.
 */
interface TextPiece {
  readonly text: string
  /** True if the text is an escape for an invisible character. */
  readonly escaped: boolean
}

const hidden =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u00a0\u115f\u1160\u2000-\u200a\u202f\u205f\u3000\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\u{e0100}-\u{e01ef}]|\p{Cs}/gu

const kept = new Set(['\n', '\t'])
/** Most text matches this cheap test and needs no further test. */
const plain = /^[\x20-\x7e\n\t]*$/

/** The text with every invisible character as an escape, for places that take only a string. */
export function visibleText(text: string): string {
  return splitVisible(text)
    .map((piece) => piece.text)
    .join('')
}

/** Splits a text into visible pieces and escapes for invisible characters. */
export function splitVisible(text: string): readonly TextPiece[] {
  if (plain.test(text)) return [{ text, escaped: false }]
  const pieces: TextPiece[] = []
  let end = 0
  // `matchAll` would compile these large classes again for every text.
  hidden.lastIndex = 0
  for (let match = hidden.exec(text); match; match = hidden.exec(text)) {
    if (kept.has(match[0])) continue
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), escaped: false })
    pieces.push({ text: escapeOf(match[0]), escaped: true })
    end = match.index + match[0].length
  }
  if (end < text.length) pieces.push({ text: text.slice(end), escaped: false })
  return pieces
}

function escapeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`
}
