import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planPieces } from './plan-pieces.ts'

it('cuts a plan at paragraphs, fences and items, and knows their lines', () => {
  const plan = '# Title\n\nWhy.\nStill why.\n\n1. One\n   more\n\n2. Two\n\n```ts\n1. no item\n\n2. no item\n```\n'
  expect(planPieces(plan).map(({ text, from, to }) => [from, to, text])).toEqual([
    [1, 1, '# Title'],
    [3, 4, 'Why.\nStill why.'],
    [6, 7, '1. One\n   more'],
    [9, 9, '2. Two'],
    [11, 15, '```ts\n1. no item\n\n2. no item\n```'],
  ])
})

it('draws a long list as few pieces', () => {
  expect(planPieces('1. x\n'.repeat(5_000)).length).toBeLessThan(100)
})

it('names each line that is not empty once, in order, as it stands in the plan', () => {
  const line = fc.constantFrom('', 'text', '1. one', '- two', '   more', '```', '| a | b |', '# x', '> y', '[a]: /b')
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const shown = planPieces(lines.join('\n')).flatMap(({ text, from, to }) => {
        expect(text).toBe(lines.slice(from - 1, to).join('\n'))
        return Array.from({ length: to - from + 1 }, (_, index) => from + index)
      })
      const filled = lines.flatMap((text, index) => (text === '' ? [] : [index + 1]))
      expect(filled.filter((one) => !shown.includes(one))).toEqual([])
      expect(shown).toEqual([...new Set(shown)].toSorted((a, b) => a - b))
    }),
  )
})
