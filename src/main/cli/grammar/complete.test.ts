import { expect, it } from 'vitest'
import { completeWords } from './complete.ts'
import { verbs } from './verbs.ts'

const proposed = (...words: readonly string[]) => completeWords(words).proposals.map(({ word }) => word)

it('completes verbs, and folders where no verb fits', () => {
  expect(proposed('re')).toEqual(['resume', 'rewind'])
  expect(proposed('')).toEqual(verbs.map(({ name }) => name).filter((name) => !name.includes(' ')))
  expect(proposed('mcp', 'lo')).toEqual(['login', 'logout'])
  expect(completeWords(['./src']).wanted).toBe('folder')
})

it('completes flags of the verb and of every verb', () => {
  expect(proposed('diff', 'last', '--')).toEqual(
    ['stat', 'no-pager', 'paths', 'json', 'data-dir', 'settings', 'help', 'version'].map((name) => `--${name}`),
  )
  expect(proposed('run', '--app')).toEqual(['--approve', '--apply'])
})

it('completes the value of a flag, and the arguments in their order', () => {
  expect(proposed('run', '--approve', '')).toEqual(['ask', 'effects', 'all', 'none'])
  expect(proposed('merge', 'last', '--all', 'c')).toEqual(['clean'])
  expect(proposed('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell'])
  expect(completeWords(['run', '--input', '']).wanted).toBe('file')
  expect(completeWords(['run', '--data-dir', '']).wanted).toBe('folder')
  expect(completeWords(['rewind', '']).wanted).toBe('thread')
  expect(completeWords(['rewind', 'T', '--yes', '']).wanted).toBe('checkpoint')
})

it('completes a last argument that repeats, and remembers the thread and the data folder', () => {
  const found = completeWords(['discard', '--data-dir', '/data', 'T', 'one', 'two', ''])
  expect(found).toMatchObject({ wanted: 'branch', positionals: ['T', 'one', 'two'], dataFolder: '/data' })
})
