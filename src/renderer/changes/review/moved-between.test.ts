import { expect, it } from 'vitest'
import { processorTime } from '#overlay/testkit'
import type { DiffHunk } from '#shared/contract/views/files.ts'
import { createMovedBetween } from './moved-between.ts'

const block = ['function moved(value) {', '  const doubled = value * 2', '', '  return doubled', '}']
const hunk = (sign: '+' | '-', lines: readonly string[], start = 1): DiffHunk => ({
  oldStart: start,
  oldLines: sign === '-' ? lines.length : 0,
  newStart: start,
  newLines: sign === '+' ? lines.length : 0,
  lines: lines.map((line) => `${sign}${line}`),
})
const added = (number: number) => ({ kind: 'added' as const, text: '', old: null, new: number })
const removed = (number: number) => ({ kind: 'removed' as const, text: '', old: number, new: null })

it('finds lines that went from one file to another, whichever was read first', () => {
  const moved = createMovedBetween()
  moved.add('/to', '1', [hunk('+', ['import x', ...block.map((line) => `  ${line}`)], 10)])
  expect(moved.of('/to')(added(11))).toBeNull()
  moved.add('/other', '1', [hunk('+', ['a line that is nowhere else'])])
  const [before, other] = [moved.of('/to'), moved.of('/other')]
  moved.add('/from', '1', [hunk('-', block, 40)])
  expect(moved.of('/to')).not.toBe(before)
  expect(moved.of('/other'), 'is not looked through again').toBe(other)
  expect(moved.of('/to')(added(11))).toEqual({ line: 40, first: true, path: '/from' })
  expect(moved.of('/to')(added(15))).toEqual({ line: 44, first: false, path: '/from' })
  expect(moved.of('/to')(added(10))).toBeNull()
  expect(moved.of('/from')(removed(40))).toEqual({ line: 11, first: true, path: '/to' })
})

it('marks no short block, none in the same file, and none of a version that is gone', () => {
  const moved = createMovedBetween()
  moved.add('/a', '1', [hunk('-', block.slice(0, 4)), hunk('+', block.slice(0, 4), 90)])
  moved.add('/b', '1', [hunk('+', block.slice(0, 4))])
  expect(moved.of('/b')(added(1))).toBeNull()
  moved.add('/c', '1', [hunk('-', block)])
  moved.add('/d', '1', [hunk('+', block)])
  expect(moved.of('/d')(added(1))).toMatchObject({ path: '/c' })
  moved.add('/c', '2', [])
  expect(moved.of('/d')(added(1))).toBeNull()
})

it('reads a file of 5,000 lines in a moment, and leaves larger ones out', () => {
  const moved = createMovedBetween()
  const long = Array.from({ length: 5000 }, (_, index) => `a line of a long file, number ${index}`)
  moved.add('/from', '1', [hunk('-', long)])
  const taken = processorTime(() => {
    moved.add('/to', '1', [hunk('+', long)])
    expect(moved.of('/to')(added(5000))).toEqual({ line: 5000, first: false, path: '/from' })
  })
  expect(taken).toBeLessThan(1000)
  moved.add('/huge', '1', [hunk('+', [...long, 'one more'])])
  expect(moved.of('/huge')(added(1))).toBeNull()
})
