import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type AskedByServer, answerProblem, type FieldValue, type QuestionField } from './server-question.ts'

const field = (kind: QuestionField['kind'], required = false): QuestionField => ({
  ...{ name: kind, title: kind, description: '', required, kind, initial: null },
  options: [
    { value: 'a', title: 'A' },
    { value: 'b', title: 'B' },
  ],
})
const kinds = ['text', 'number', 'integer', 'yes or no', 'one of', 'some of'] as const
const form = (...fields: readonly QuestionField[]): AskedByServer => ({ kind: 'form', message: '', fields })
const fits: Readonly<Record<QuestionField['kind'], (value: FieldValue) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  'yes or no': (value) => typeof value === 'boolean',
  'one of': (value) => value === 'a' || value === 'b',
  'some of': (value) => Array.isArray(value) && value.every((one) => one === 'a' || one === 'b'),
}
const values = fc.oneof(
  ...[fc.constantFrom('a', 'b', 'c'), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()],
  fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
)

it('takes exactly the values of the kind of each field', () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), values, (kind, value) => {
      const problem = answerProblem(form(field(kind)), { action: 'accept', values: { [kind]: value } })
      expect(problem === null).toBe(fits[kind](value))
    }),
  )
})

it('names what is missing and what nobody asked, and takes any refusal', () => {
  const question = form(field('text', true))
  expect(answerProblem(question, { action: 'accept', values: {} })).toBe('"text" is missing.')
  expect(answerProblem(form(), { action: 'accept', values: { toString: 'x' } })).toBe(
    'Nothing called "toString" was asked.',
  )
  expect(answerProblem(question, { action: 'accept', values: { text: 'x' } })).toBeNull()
  expect(answerProblem(question, { action: 'decline' })).toBeNull()
  expect(answerProblem(question, { action: 'cancel' })).toBeNull()
})
