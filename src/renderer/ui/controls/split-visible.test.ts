import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitVisible } from './split-visible.ts'

const printText = (text: string): string =>
  splitVisible(text)
    .map(({ text }) => text)
    .join('')

describe('visible text', () => {
  it.each([
    ['a carriage return that would hide a line', 'rm -rf /\rls', 'rm -rf /\\u000dls'],
    ['an escape sequence', '\u001b[2K', '\\u001b[2K'],
    ['a direction override', 'a\u202eb', 'a\\u202eb'],
    ['a direction isolate', 'a\u2066b', 'a\\u2066b'],
    ['a zero-width space', 'a\u200bb', 'a\\u200bb'],
    ['a byte order mark', '\ufeffa', '\\ufeffa'],
    ['a non-breaking space', 'a\u00a0b', 'a\\u00a0b'],
    ['tag characters', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['a lone surrogate', 'a\ud800b', 'a\\ud800b'],
  ])('writes out %s', (_, text, expected) => {
    expect(printText(text)).toBe(expected)
  })

  it('does not change line breaks, tabs and ordinary text of any language', () => {
    const text = 'Grüße\n\tこんにちは مرحبا 👍'
    expect(splitVisible(text)).toEqual([{ text, escaped: false }])
  })

  it('never drops a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const back = splitVisible(text)
          .map(({ text: piece, escaped }) =>
            escaped ? String.fromCodePoint(Number.parseInt(piece.replace(/^\\u\{?/, ''), 16)) : piece,
          )
          .join('')
        expect(back).toBe(text)
      }),
    )
  })
})

/** A name or path of somebody else, drawn as it is: `{thread.title}` between tags, or alone on a line. */
const unmarked =
  /(?:>|^\s*)\{(?:path|(?:thread|branch|entry|row|file|interrupt|child|agent)\.(?:title|agent|name|path))\}(?:<|\s*$)/gm

it('marks the invisible characters of every name and path that a component draws', () => {
  const files = readdirSync('src/renderer', { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.tsx') && !name.endsWith('.test.tsx'))
  const found = files.flatMap((name) =>
    (readFileSync(join('src/renderer', name), 'utf8').match(unmarked) ?? []).map((text) => `${name}: ${text.trim()}`),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(found).toEqual([])
})
