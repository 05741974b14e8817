import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerOfChoices, choicesIn, choose, questionsIn, questionText, singleQuestion } from './questions.ts'

const several = {
  questions: [
    { question: 'Which rounding?', options: ['Half up', { label: 'Half even', detail: 'As banks do' }] },
    { question: 'Which files?', options: ['a.ts', 'b.ts'], multiple: true },
    { question: 'Why?' },
  ],
}

describe('the questions of an agent', () => {
  it('are one as ever, or several, with words about their options', () => {
    const one = { question: 'Which?', options: ['A', 'B'] }
    expect(singleQuestion(one)?.options.map(({ label }) => label)).toEqual(['A', 'B'])
    expect(questionText(one)).toBe('Which?')
    expect([singleQuestion(several), singleQuestion({ ...one, multiple: true })]).toEqual([undefined, undefined])
    expect(questionText(several)).toBe(
      '1. Which rounding?\n   - Half up\n   - Half even: As banks do\n2. Which files?\n   - a.ts\n   - b.ts\n3. Why?',
    )
    expect(questionsIn({ question: 7, questions: ['x', { question: 'y', options: [1, { label: 2 }] }] })).toEqual([
      { text: 'y', options: [], isMultiple: false },
    ])
  })

  it('are answered together, each by options, by words or by both, and not before each has an answer', () => {
    const questions = questionsIn(several)
    const [rounding = { chosen: [], other: '' }, files] = [
      { chosen: ['Half even'], other: '' },
      { chosen: ['b.ts', 'a.ts'], other: 'c.ts' },
    ]
    expect(answerOfChoices(questions, [rounding, files])).toBeNull()
    expect(answerOfChoices(questions, [rounding, files, { chosen: [], other: ' Because. ' }])).toBe(
      'Which rounding?\n- Half even\n\nWhich files?\n- b.ts\n- a.ts\n- c.ts\n\nWhy?\n- Because.',
    )
    const [, only] = questions
    expect(only && answerOfChoices([only], [files])).toBe('b.ts\na.ts\nc.ts')
  })

  it('have previews, drawn as what they are', () => {
    const [question] = questionsIn({
      question: 'Which?',
      options: [
        { label: 'A', preview: '-a\n+b', preview_as: 'diff' },
        { label: 'B', preview: ' ' },
        { label: 'C', preview: 'c' },
      ],
    })
    expect(question?.options.map(({ preview }) => preview?.kind)).toEqual(['diff', undefined, 'text'])
  })

  it('are read back with what was chosen', () => {
    const line = fc.constantFrom('Half up', 'a.ts', 'my own words', 'two\nlines')
    const choice = fc.record({ chosen: fc.subarray(['Half up', 'a.ts']), other: fc.oneof(line, fc.constant('')) })
    const options = ['Half up', 'a.ts'].map((label) => ({ label, detail: '' }))
    fc.assert(
      fc.property(fc.array(choice, { minLength: 1, maxLength: 4 }), (choices) => {
        const questions = choices.map((_, index) => ({ text: `Question ${index}?`, options, isMultiple: true }))
        const answer = answerOfChoices(questions, choices)
        if (answer === null) return
        const given = choices.map(({ chosen, other }) => {
          const isLabel = options.some(({ label }) => label === other)
          return { chosen: isLabel ? [...chosen, other] : chosen, other: isLabel ? '' : other }
        })
        expect(choicesIn(questions, answer)).toEqual(given)
      }),
    )
  })

  // Mutation: keep the words beside another option where one answer counts.
  it('have one answer each, unless several may be chosen', () => {
    const action = fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant(null))
    fc.assert(
      fc.property(fc.boolean(), fc.array(action, { maxLength: 6 }), (isMultiple, taken) => {
        const question = { text: 'q', options: [], isMultiple }
        let choice: { readonly chosen: readonly string[]; readonly other: string } = { chosen: [], other: 'words' }
        for (const label of taken) if (label !== null) choice = choose(question, choice, label)
        expect(new Set(choice.chosen).size).toBe(choice.chosen.length)
        if (!isMultiple) expect(choice.chosen.length + Number(choice.other !== '')).toBeLessThanOrEqual(1)
      }),
    )
  })
})
