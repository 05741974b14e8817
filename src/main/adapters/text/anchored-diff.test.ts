import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyText, applyHunks, processorTime } from '#overlay/testkit'
import { anchoredDiff } from './anchored-diff.ts'
import { compareTexts } from './compare-texts.ts'
import { splitLines } from './text-lines.ts'

it('leaves only equal lines outside its edits, for any two texts', () => {
  fc.assert(
    fc.property(anyText, anyText, (before, after) => {
      const [old, fresh] = [splitLines(before), splitLines(after)]
      const { edits } = anchoredDiff(old, fresh)
      let [at, there] = [0, 0]
      for (const { oldStart, oldEnd, newStart, newEnd } of edits) {
        expect(old.slice(at, oldStart)).toEqual(fresh.slice(there, newStart))
        at = oldEnd
        there = newEnd
      }
      expect(old.slice(at)).toEqual(fresh.slice(there))
    }),
  )
})

it('shows no unchanged line as changed in a file of 20,000 lines of which every second one changed', () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `const value${index} = ${index}\n`)
  const changed = lines.map((line, index) => (index % 2 === 0 ? line.replace('const', 'let') : line))
  const before = lines.join('')
  const after = changed.join('')
  const taken = processorTime(() => {
    const diff = compareTexts(before, after, 3)
    expect(diff).toMatchObject({ added: 10_000, removed: 10_000, approximate: false })
    expect(applyHunks(before, diff)).toBe(after)
  })
  expect(taken).toBeLessThan(3000)
})

it('compares files whose lines all repeat', () => {
  const before = 'a\nb\n'.repeat(10_000)
  const after = `x\n${'a\nb\n'.repeat(5_000)}y${'\na\nb'.repeat(6_000)}`
  expect(applyHunks(before, compareTexts(before, after, 3))).toBe(after)
})
