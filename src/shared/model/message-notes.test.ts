import { describe, expect, it } from 'vitest'
import { formatAnswerNote, formatInputNote, readMessageNotes } from './message-notes.ts'

const table = { path: '/inputs/a.csv', about: '2 columns, 3 rows', detail: 'Columns:\n- id: 1\n\n- note: x' }
const notes = { path: '/inputs-2/b.txt', about: '3 characters (short), 1 line', detail: '' }
const schema = { type: 'object', title: 'A "total"' }
const plain = (text: string) => ({ text, answerSchema: null, inputs: [] })

describe('a message', () => {
  it('is taken apart into its text, its inputs and the schema of its answer', () => {
    const text = 'Sum it up.\n\nPlease.'
    const message = `${text}${formatAnswerNote(schema)}${formatInputNote(table)}${formatInputNote(notes)}`
    expect(readMessageNotes(message)).toEqual({ text, answerSchema: JSON.stringify(schema), inputs: [table, notes] })
    expect(readMessageNotes(`${text}${formatAnswerNote(schema)}`)).toMatchObject({ text, inputs: [] })
  })

  it('that only looks like one with inputs stays whole', () => {
    const typed = 'It said:\n\nInput data is in the folder.'
    expect(readMessageNotes(typed)).toEqual(plain(typed))
    expect(readMessageNotes('Hello')).toEqual(plain('Hello'))
  })
})
