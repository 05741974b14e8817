import { expect, it } from 'vitest'
import { modelFamily, newestOf } from './model-family.ts'

it.each([
  ['sonnet', 'sonnet'],
  ['Opus', 'opus'],
  ['sonnet[1m]', 'sonnet'],
  ['opusplan', 'opus'],
  ['claude-sonnet-5', null],
  ['gpt-5', null],
])('%s is of the family %s', (name, family) => {
  expect(modelFamily(name)).toBe(family)
})

it.each([
  [['claude-sonnet-5', 'claude-sonnet-5-5', 'claude-opus-5-5'], 'claude-sonnet-5-5'],
  [['claude-3-5-sonnet-20241022', 'claude-3-7-sonnet-20250219'], 'claude-3-7-sonnet-20250219'],
  [['claude-sonnet-4-20250514', 'claude-3-7-sonnet-20250219'], 'claude-sonnet-4-20250514'],
  [['anthropic/claude-sonnet-4.5', 'anthropic/claude-sonnet-4'], 'anthropic/claude-sonnet-4.5'],
  [
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'us.anthropic.claude-3-5-sonnet-20241022-v2:0'],
    'us.anthropic.claude-sonnet-4-20250514-v1:0',
  ],
  [['claude-sonnet-4-5@20250929', 'sonnet'], 'sonnet'],
  [['gpt-5', 'sonneteer-1'], null],
])('of %j the newest Sonnet is %s', (ids, newest) => {
  expect(newestOf('sonnet', ids)).toBe(newest)
})
