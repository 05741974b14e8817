import { expect, it } from 'vitest'
import { highlightDiff } from '../diff/diff-highlight.ts'
import { unifiedRows } from '../diff/hunk-lines.ts'
import { loadHighlighter } from './load-highlighter.ts'
import type { Highlighter, LanguageHint, Token } from './token.ts'

async function highlighterOf(hint: LanguageHint): Promise<Highlighter> {
  const highlighter = await loadHighlighter(hint)
  if (!highlighter) throw new Error('Nothing reads it')
  return highlighter
}

const printTokens = (line: readonly Token[] | null | undefined): string =>
  (line ?? [])
    .map(({ text, className }) => (className === '' ? text : `<${className.replace('text-code-', '')}:${text}>`))
    .join('')

it.each([
  [{ path: '/src/a.ts' }, "const a = 'x' // no", "<keyword:const> <name:a> = <string:'x'> <comment:// no>"],
  [{ path: '/main.go' }, 'func main() {}', '<keyword:func> <name:main>() {}'],
  [{ path: '/deep/Dockerfile' }, 'FROM node', '<keyword:FROM> node'],
  [{ language: 'py' }, 'def f(): return 1', '<keyword:def> <name:f>(): <keyword:return> <value:1>'],
  [{ language: 'sh' }, 'if true; then', '<keyword:if> <value:true>; <keyword:then>'],
])('colours %j', async (hint, code, expected) => {
  expect(printTokens((await highlighterOf(hint)).tokenize(code)[0])).toBe(expected)
})

it('returns null for an unknown language', async () => {
  expect(await loadHighlighter({ path: '/notes.unknown' })).toBeNull()
  expect(await loadHighlighter({ language: 'no such language' })).toBeNull()
})

it('keeps every character, line by line', async () => {
  const code = 'const a = `x\n  $' + '{b}\n`\n\n\treturn "\\n" // ümlaut\r\nend'
  const lines = (await highlighterOf({ path: '/a.js' })).tokenize(code)
  expect(lines.map((line) => line.map(({ text }) => text).join(''))).toEqual(code.split('\n'))
})

const hunk = {
  oldStart: 4,
  oldLines: 3,
  newStart: 4,
  newLines: 3,
  lines: [' /* what', '-  was', '+  is', ' */ let a'],
}

it('highlights each side of a diff separately', async () => {
  const highlighter = await highlighterOf({ path: '/a.js' })
  const highlight = highlightDiff([hunk], null, highlighter)
  const { at } = unifiedRows(hunk)
  expect([0, 1, 2, 3].map((index) => printTokens(highlight(at(index))))).toEqual([
    '<comment:/* what>',
    '<comment:  was>',
    '<comment:  is>',
    '<comment:*/> <keyword:let> <name:a>',
  ])
})

it('highlights the whole file if it is known, but no line that differs from it', async () => {
  const highlighter = await highlighterOf({ path: '/a.js' })
  const { at } = unifiedRows(hunk)
  const before = Array.from({ length: 3 }, () => 'let b')
  const highlight = highlightDiff([hunk], [...before, '/* what', '  is', '*/ let a'], highlighter)
  expect(printTokens(highlight(at(3)))).toBe('<comment:*/> <keyword:let> <name:a>')
  expect(highlightDiff([hunk], [...before, 'changed since'], highlighter)(at(0))).toBeNull()
})

it('leaves minified code plain, and highlights only the chunk of a distant line', async () => {
  let read = 0
  const highlighter: Highlighter = {
    tokenize: (code) => {
      read += 1
      return code.split('\n').map((text) => [{ text, className: '' }])
    },
  }
  const long = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 50_000, lines: Array(50_000).fill('+let a') }
  const highlight = highlightDiff([long], null, highlighter)
  expect(printTokens(highlight(unifiedRows(long).at(49_999)))).toBe('let a')
  expect(read).toBe(1)
  const minified = { ...long, newLines: 1, lines: [`+${'a'.repeat(70_000)}`] }
  expect(highlightDiff([minified], null, highlighter)(unifiedRows(minified).at(0))).toBeNull()
})
