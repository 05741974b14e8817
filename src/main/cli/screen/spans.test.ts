import { describe, expect, it } from 'vitest'
import { readScreen } from './screen.ts'
import { cutLine, lineOf, lineWidth, plainText, wrapLine } from './spans.ts'

const wrapped = (text: string, columns: number) => wrapLine(lineOf(text), columns).map(plainText)

describe('a line that is too long', () => {
  it('is broken between words', () => {
    expect(wrapped('one two three', 8)).toEqual(['one two', 'three'])
    expect(wrapped('one two', 7)).toEqual(['one two'])
  })

  it('is broken inside a word that is wider than the screen', () => {
    expect(wrapped('/a/very/long/path x', 6)).toEqual(['/a/ver', 'y/long', '/path', 'x'])
  })

  it('keeps its indentation and its tones', () => {
    const rows = wrapLine(
      [
        { text: '  indented ', tone: 'dim' },
        { text: 'words', tone: 'bad' },
      ],
      12,
    )
    expect(rows).toEqual([[{ text: '  indented', tone: 'dim' }], [{ text: 'words', tone: 'bad' }]])
  })

  it('never exceeds the width, also with wide characters', () => {
    for (const columns of [2, 5, 9])
      for (const row of wrapLine(lineOf('文字 and 👩‍🚀 text\twith tabs'), columns))
        expect(lineWidth(row)).toBeLessThanOrEqual(columns)
  })

  it('is cut with a mark', () => {
    expect(plainText(cutLine(lineOf('abcdef'), 4))).toBe('abc…')
    expect(plainText(cutLine(lineOf('文文文'), 4))).toBe('文…')
    expect(plainText(cutLine(lineOf('abc'), 4))).toBe('abc')
  })
})

describe('the screen', () => {
  const terminal = { isTTY: true, columns: 40, rows: 10 }
  it.each([
    [{}, { TERM: 'xterm-256color' }, 1],
    [{}, { TERM: 'xterm', FORCE_COLOR: '2' }, 8],
    [terminal, { TERM: 'xterm-256color' }, 8],
    [terminal, { TERM: 'xterm-256color', NO_COLOR: '1' }, 1],
    [terminal, { TERM: 'dumb' }, 1],
    [terminal, { TERM: 'xterm-256color', FORCE_COLOR: '0' }, 1],
  ])('%o with %o has colours of %d bits', (output, environment, depth) => {
    expect(readScreen(output, environment).colourDepth).toBe(depth)
  })

  it('draws in place only in a terminal that can', () => {
    expect(readScreen(terminal, { TERM: 'xterm' }).isLive).toBe(true)
    expect(readScreen(terminal, { TERM: 'dumb' }).isLive).toBe(false)
    expect(readScreen({}, { TERM: 'xterm' }).isLive).toBe(false)
    expect(readScreen({}, { TERM: 'xterm' }).columns()).toBe(Number.POSITIVE_INFINITY)
  })
})
