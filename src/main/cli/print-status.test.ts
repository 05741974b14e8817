import { expect, it } from 'vitest'
import { JournalError } from '#core/ports/journal.ts'
import { problemText } from './print-status.ts'

it('a refusal is told in words, and only a fault of the app with its place', () => {
  const full = new JournalError('full', 'The disk is full.')
  expect(problemText('It was not stored', full)).toBe('It was not stored: The disk is full.')
  const missing = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' })
  expect(problemText('It was not read', missing)).toBe('It was not read: ENOENT: no such file')
  expect(problemText('It broke', new Error('a bug'))).toMatch(/^It broke: Error: a bug\n +at /)
  expect(problemText('The data was damaged. There is no backup of it', 'damaged database')).toBe(
    'The data was damaged. There is no backup of it.',
  )
})
