import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatAnswerNote,
  formatCommandNote,
  formatInputNote,
  formatSkillNote,
  readMessageNotes,
  slashNameIn,
  slashNameOf,
} from './message-notes.ts'

const table = { path: '/inputs/a.csv', about: '2 columns, 3 rows', detail: 'Columns:\n- id: 1\n\n- note: x' }
const notes = { path: '/inputs-2/b.txt', about: '3 characters (short), 1 line', detail: '' }
const schema = { type: 'object', title: 'A "total"' }
const plain = (text: string) => ({ text, answerSchema: null, inputs: [], skill: null, command: null, asked: '' })

describe('a message', () => {
  it('is taken apart into its text, its inputs and the schema of its answer', () => {
    const text = 'Sum it up.\n\nPlease.'
    const message = `${text}${formatAnswerNote(schema)}${formatInputNote(table)}${formatInputNote(notes)}`
    expect(readMessageNotes(message)).toEqual({
      text,
      answerSchema: JSON.stringify(schema),
      inputs: [table, notes],
      skill: null,
      command: null,
      asked: '',
    })
    expect(readMessageNotes(`${text}${formatAnswerNote(schema)}`)).toMatchObject({ text, inputs: [] })
  })

  it('that only looks like one with inputs stays whole', () => {
    const typed = 'It said:\n\nInput data is in the folder.'
    expect(readMessageNotes(typed)).toEqual(plain(typed))
    expect(readMessageNotes('Hello')).toEqual(plain('Hello'))
  })

  it('names the skill that the person asked for', () => {
    const skill = { name: 'Code "review"', file: '/.agents/skills/review/SKILL.md' }
    const message = `/review now${formatSkillNote(skill)}${formatAnswerNote(schema)}${formatInputNote(notes)}`
    expect(readMessageNotes(message)).toMatchObject({ text: '/review now', skill, inputs: [notes] })
    const typed = 'Say:\n\nUse a skill for this: read it'
    expect(readMessageNotes(typed)).toEqual(plain(typed))
  })

  // Mutation: without the mark before each line, a command can look like any other part of the message.
  it('says what its command says, which is read back whole and never as another part', () => {
    const other = [formatAnswerNote(schema), formatInputNote(table), formatSkillNote({ name: 'a', file: '/b' })]
    const line = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('', ' ', '> ', '"', ...other))
    const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, line, (said, name) => {
        const command = { name, source: said, text: said }
        const note = formatCommandNote(command)
        const message = `/x${note}${formatAnswerNote(schema)}${formatInputNote(notes)}`
        const plainLines = said.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).join('\n')
        expect(readMessageNotes(message)).toEqual({
          ...{ text: '/x', answerSchema: JSON.stringify(schema), inputs: [notes], skill: null, asked: note },
          command: { name: name.replace(/^\//, ''), source: said, text: plainLines },
        })
      }),
    )
    const typed = 'Say:\n\nThe command "/a" of "b" says:\nrun'
    expect(readMessageNotes(typed)).toEqual(plain(typed))
  })
})

it('a skill is asked for by its name after a slash, at the beginning of a message', () => {
  expect(slashNameOf('Code review')).toBe('Code-review')
  expect(['/Code-review the diff', '  /a', 'see /a', '/src/a.ts', 'a'].map(slashNameIn)).toEqual([
    'Code-review',
    'a',
    null,
    null,
    null,
  ])
})
