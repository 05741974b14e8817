import { expect, it } from 'vitest'
import { diffInks } from '../diff/diff-highlight.ts'
import { numberedLines } from '../diff/hunk-lines.ts'
import { loadSyntax } from './load-highlighter.ts'
import type { CodePiece, Syntax, SyntaxHint } from './use-highlighter.ts'

async function syntaxOf(hint: SyntaxHint): Promise<Syntax> {
  const syntax = await loadSyntax(hint)
  if (!syntax) throw new Error('Nothing reads it')
  return syntax
}

const shown = (line: readonly CodePiece[] | null | undefined): string =>
  (line ?? []).map(({ text, ink }) => (ink === '' ? text : `<${ink.replace('text-code-', '')}:${text}>`)).join('')

it.each([
  [{ path: '/src/a.ts' }, "const a = 'x' // no", "<keyword:const> <name:a> = <string:'x'> <comment:// no>"],
  [{ path: '/main.go' }, 'func main() {}', '<keyword:func> <name:main>() {}'],
  [{ path: '/deep/Dockerfile' }, 'FROM node', '<keyword:FROM> node'],
  [{ language: 'py' }, 'def f(): return 1', '<keyword:def> <name:f>(): <keyword:return> <value:1>'],
  [{ language: 'sh' }, 'if true; then', '<keyword:if> <value:true>; <keyword:then>'],
])('colours %j', async (hint, code, expected) => {
  expect(shown((await syntaxOf(hint)).linesOf(code)[0])).toBe(expected)
})

it('leaves what nothing reads as it is', async () => {
  expect(await loadSyntax({ path: '/notes.unknown' })).toBeNull()
  expect(await loadSyntax({ language: 'no such language' })).toBeNull()
})

it('gives back every character, line by line', async () => {
  const code = 'const a = `x\n  $' + '{b}\n`\n\n\treturn "\\n" // ümlaut\r\nend'
  const lines = (await syntaxOf({ path: '/a.js' })).linesOf(code)
  expect(lines.map((line) => line.map(({ text }) => text).join(''))).toEqual(code.split('\n'))
})

const hunk = {
  oldStart: 4,
  oldLines: 3,
  newStart: 4,
  newLines: 3,
  lines: [' /* what', '-  was', '+  is', ' */ let a'],
}

it('reads each side of a diff for itself', async () => {
  const syntax = await syntaxOf({ path: '/a.js' })
  const inksOf = diffInks([hunk], null, syntax)
  const { at } = numberedLines(hunk)
  expect([0, 1, 2, 3].map((index) => shown(inksOf(at(index))))).toEqual([
    '<comment:/* what>',
    '<comment:  was>',
    '<comment:  is>',
    '<comment:*/> <keyword:let> <name:a>',
  ])
})

it('reads the whole file where it is there, and nothing that differs from it', async () => {
  const syntax = await syntaxOf({ path: '/a.js' })
  const { at } = numberedLines(hunk)
  const before = Array.from({ length: 3 }, () => 'let b')
  const inksOf = diffInks([hunk], [...before, '/* what', '  is', '*/ let a'], syntax)
  expect(shown(inksOf(at(3)))).toBe('<comment:*/> <keyword:let> <name:a>')
  expect(diffInks([hunk], [...before, 'changed since'], syntax)(at(0))).toBeNull()
})

it('leaves code without lines plain, and reads far lines alone', async () => {
  let read = 0
  const syntax: Syntax = {
    linesOf: (code) => {
      read += 1
      return code.split('\n').map((text) => [{ text, ink: '' }])
    },
  }
  const long = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 50_000, lines: Array(50_000).fill('+let a') }
  const inksOf = diffInks([long], null, syntax)
  expect(shown(inksOf(numberedLines(long).at(49_999)))).toBe('let a')
  expect(read).toBe(1)
  const minified = { ...long, newLines: 1, lines: [`+${'a'.repeat(70_000)}`] }
  expect(diffInks([minified], null, syntax)(numberedLines(minified).at(0))).toBeNull()
})
