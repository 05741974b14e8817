import { expect, it } from 'vitest'
import { formatBytes, formatDuration, formatElapsed, formatKeys, formatMoney } from './format.ts'

it('writes durations in fitting units', () => {
  expect([0, 3, 400, 999.7, 1400, 12_000, 62_000, 3_900_000].map(formatDuration)).toEqual([
    '< 1 ms',
    '3 ms',
    '400 ms',
    '1 s',
    '1.4 s',
    '12 s',
    '1 m 02 s',
    '1 h 05 m',
  ])
})

it('writes elapsed time in whole seconds', () => {
  expect([0, 999, 12_400, 62_000, 3_725_000].map(formatElapsed)).toEqual(['0:00', '0:00', '0:12', '1:02', '1:02:05'])
})

it('never shows a small cost as nothing', () => {
  expect(formatMoney(0.0004)).toContain('<')
  expect(formatMoney(null)).toBe('cost unknown')
})

it('writes sizes and keys', () => {
  expect([512, 2048].map(formatBytes)).toEqual(['512 B', '2 KB'])
  expect(formatKeys('Mod+Alt+N', false)).toBe('Ctrl+Alt+N')
  expect(formatKeys('Mod+Alt+N', true)).toBe('⌘ ⌥ N')
})
