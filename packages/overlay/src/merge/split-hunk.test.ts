import { expect, it } from 'vitest'
import { splitHunk } from './split-hunk.ts'

const context = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ` ${from + index}`)

it('makes two hunks of two changes with six lines between them', () => {
  const lines = [...context(1, 4), '-4', '+four', ...context(5, 11), '-11', '+eleven', '+more', ...context(12, 15)]
  const parts = splitHunk({ oldStart: 1, oldLines: 14, newStart: 1, newLines: 15, lines })
  expect(parts.map(({ lines: _, ...place }) => place)).toEqual([
    { oldStart: 1, oldLines: 7, newStart: 1, newLines: 7 },
    { oldStart: 8, oldLines: 7, newStart: 8, newLines: 8 },
  ])
  expect(parts.flatMap((part) => part.lines)).toEqual(lines)
})

it('keeps changes together that have three lines or a missing line end between them', () => {
  const near = { oldStart: 3, oldLines: 5, newStart: 3, newLines: 5, lines: ['-3', '+x', ...context(4, 7), '-7', '+y'] }
  expect(splitHunk(near)).toEqual([near])
  const end = {
    oldStart: 1,
    oldLines: 1,
    newStart: 1,
    newLines: 1,
    lines: ['-a', '\\ No newline at end of file', '+b'],
  }
  expect(splitHunk(end)).toEqual([end])
})

it('keeps the place of a hunk without lines on one side', () => {
  const created = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ['+a', '+b'] }
  expect(splitHunk(created)).toEqual([created])
})
