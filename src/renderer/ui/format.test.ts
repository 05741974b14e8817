import { expect, it } from 'vitest'
import { formatBytes, formatDuration, formatKeys, formatMoney } from './format.ts'

it('writes durations as long as they need', () => {
  expect([3, 400, 12_000, 62_000, 3_900_000].map(formatDuration)).toEqual([
    '< 0.1 s',
    '0.4 s',
    '12 s',
    '1 m 02 s',
    '1 h 05 m',
  ])
})

it('never shows a cost as nothing when it is something', () => {
  expect(formatMoney(0.0004)).toContain('<')
  expect(formatMoney(null)).toBe('cost unknown')
})

it('writes sizes and keys', () => {
  expect([512, 2048].map(formatBytes)).toEqual(['512 B', '2 KB'])
  expect(formatKeys('Mod+Alt+N', false)).toBe('Ctrl+Alt+N')
  expect(formatKeys('Mod+Alt+N', true)).toBe('⌘ ⌥ N')
})
