import { expect, it } from 'vitest'
import { askUserTool } from './ask-user.ts'

const accepts = (args: object): boolean => askUserTool.schema.safeParse(args).success
const options = (count: number) => Array.from({ length: count }, (_, index) => `option ${index}`)

it('asks one question or several, each with a number of options that a person can read', () => {
  expect(accepts({ question: 'Which?' })).toBe(true)
  expect(
    accepts({
      question: 'Which?',
      options: ['A', { label: 'B', detail: 'The other', preview: '-a\n+b', preview_as: 'diff' }],
      multiple: true,
    }),
  ).toBe(true)
  expect(accepts({ questions: [{ question: 'Which?', options: options(200) }, { question: 'Why?' }] })).toBe(true)
  for (const args of [
    {},
    { question: 'Which?', questions: [{ question: 'Why?' }] },
    { questions: [] },
    { questions: Array.from({ length: 9 }, () => ({ question: 'Why?' })) },
    { question: 'Which?', options: options(201) },
    { question: 'Which?', options: [{ label: 'A', preview: 'x', preview_as: 'html' }] },
    { question: 'Which?', options: [{ label: 'A', preview: 'x'.repeat(10_001) }] },
    { questions: [{ question: '' }] },
  ])
    expect(accepts(args), JSON.stringify(args)).toBe(false)
})
