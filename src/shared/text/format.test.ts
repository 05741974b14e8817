import { expect, it } from 'vitest'
import { formatAgo, formatBytes, formatDuration, formatElapsed, formatKeys, formatMoney } from './format.ts'

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

it('says how long ago something was in one short word', () => {
  const minute = 60_000
  const ago = (minutes: number) => formatAgo(Date.UTC(2026, 4, 20, 12) - minutes * minute, Date.UTC(2026, 4, 20, 12))
  expect([-3, 0.9, 5, 59, 60, 23 * 60, 24 * 60, 6 * 24 * 60].map(ago)).toEqual([
    'now',
    'now',
    '5 min',
    '59 min',
    '1 h',
    '23 h',
    '1 d',
    '6 d',
  ])
  expect(ago(8 * 24 * 60)).toMatch(/12/)
})
