import { expect, it } from 'vitest'
import { formatInputNote, splitInputNotes } from './input-note.ts'

const table = { path: '/inputs/a.csv', about: '2 columns, 3 rows', detail: 'Columns:\n- id: 1\n\n- note: x' }
const notes = { path: '/inputs-2/b.txt', about: '3 characters (short), 1 line', detail: '' }

it('splits a message into its text and its inputs', () => {
  const message = `Sum it up.\n\nPlease.${formatInputNote(table)}${formatInputNote(notes)}`
  expect(splitInputNotes(message)).toEqual({ text: 'Sum it up.\n\nPlease.', inputs: [table, notes] })
})

it('leaves a message alone that only looks like one with inputs', () => {
  const typed = 'It said:\n\nInput data is in the folder.'
  expect(splitInputNotes(typed)).toEqual({ text: typed, inputs: [] })
  expect(splitInputNotes('Hello')).toEqual({ text: 'Hello', inputs: [] })
})
