import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DiffHunk } from '#shared/contract/views/files.ts'
import { splitRows, unifiedRows } from './hunk-lines.ts'
import { movedLinesIn } from './moved-lines.ts'
import { changedWords, wordsIn } from './word-diff.ts'

const parts = (text: string, ranges: readonly { from: number; to: number }[] = []) =>
  ranges.map(({ from, to }) => text.slice(from, to))

it('names the words that changed, and nothing when the lines have little in common', () => {
  const [before, after] = ['return price * rate + helper(2)', 'return price * newRate + helper(3)']
  const changes = changedWords(before, after)
  expect(parts(before, changes?.before)).toEqual(['rate', '2'])
  expect(parts(after, changes?.after)).toEqual(['newRate', '3'])
  expect(changedWords('const a = 1', 'while (other) run()')).toBeNull()
  expect(changedWords('x'.repeat(3000), 'y')).toBeNull()
})

it('marks only what differs: without the marked parts both lines are the same', () => {
  const line = fc
    .array(fc.constantFrom('a', 'bc', ' ', '(', 'déf', '😀'), { maxLength: 30 })
    .map((words) => words.join(''))
  fc.assert(
    fc.property(line, line, (before, after) => {
      const changes = changedWords(before, after)
      if (!changes) return
      const rest = (text: string, ranges: readonly { from: number; to: number }[]) =>
        ranges.toReversed().reduce((left, { from, to }) => left.slice(0, from) + left.slice(to), text)
      const words = (text: string) => text.replace(/\s/g, '')
      expect(words(rest(before, changes.before))).toBe(words(rest(after, changes.after)))
    }),
  )
})

it('compares a line with the one beside it', () => {
  const hunk: DiffHunk = {
    oldStart: 5,
    oldLines: 3,
    newStart: 5,
    newLines: 3,
    lines: [' a', '-one b c', '-two b c', '+one B c', '+two b C'],
  }
  const words = wordsIn([hunk])
  const rows = unifiedRows(hunk)
  const marked = Array.from({ length: rows.count }, (_, index) => parts(rows.at(index).text, words(rows.at(index))))
  expect(marked).toEqual([[], ['b'], ['c'], ['B'], ['C']])
  expect(splitRows(hunk).at(1)[1]?.text).toBe('one B c')
})

it('recognises a block of lines that moved, with its place on the other side, but no short one', () => {
  const block = ['function moved(value) {', '  return value * 2', '}']
  const hunks: DiffHunk[] = [
    { oldStart: 1, oldLines: 4, newStart: 1, newLines: 1, lines: [...block.map((line) => `-${line}`), ' rest'] },
    { oldStart: 40, oldLines: 1, newStart: 37, newLines: 4, lines: [' more', ...block.map((line) => `+  ${line}`)] },
  ]
  const moved = movedLinesIn(hunks)
  const at = (kind: 'added' | 'removed', number: number) =>
    moved({ kind, text: '', old: kind === 'removed' ? number : null, new: kind === 'added' ? number : null })
  expect(at('removed', 1)).toEqual({ line: 38, first: true })
  expect(at('removed', 3)).toEqual({ line: 40, first: false })
  expect(at('added', 38)).toEqual({ line: 1, first: true })
  const short = hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.filter((line) => !line.includes('return')) }))
  expect(movedLinesIn(short)({ kind: 'removed', text: '', old: 1, new: null })).toBeNull()
})
