import { expect, it } from 'vitest'
import { planTitle, stepsIn } from './plans.ts'

it('takes numbered items and check boxes at the margin as steps, and nothing of a fence', () => {
  const plan = [
    '# Rounding',
    '1. Read `money.ts`',
    '   1. not this one',
    '2) Change **it**',
    '- [ ] Test it',
    '* [x] Looked',
    '- a remark',
    '```sh',
    '3. echo',
    '~~~',
    '```',
    '3. Write the page  ',
  ].join('\n')
  expect(stepsIn(plan)).toEqual(['Read `money.ts`', 'Change **it**', 'Test it', 'Looked', 'Write the page'])
  expect(stepsIn('Just do it.')).toEqual([])
})

it('bounds the steps of a plan without an end', () => {
  const steps = stepsIn(`1. ${'x'.repeat(1000)}\n`.repeat(500))
  expect([steps.length, steps[0]?.length]).toEqual([100, 300])
})

it('reads a line of spaces without an end at once', () => {
  const spaces = ' '.repeat(100_000)
  expect(stepsIn(`1.${spaces}\n2. b${spaces}c`)).toHaveLength(1)
  expect(planTitle(`# a${spaces}b`)).toHaveLength(120)
})

it('names a plan by its first heading, or by its first line', () => {
  expect(planTitle('Before.\n\n## Round half up ##\ntext')).toBe('Round half up')
  expect(planTitle('\n\nRound half up\n')).toBe('Round half up')
  expect(planTitle('')).toBe('')
})
