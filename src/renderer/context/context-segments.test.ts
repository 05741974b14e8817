import { expect, it } from 'vitest'
import { partsWithin, segmentsOf } from './context-segments.ts'

const parts = [
  { part: 'guidance', tokens: 10 },
  { part: 'skills', tokens: 20 },
  { part: 'user_memory', tokens: 10 },
  { part: 'tools', tokens: 60 },
] as const

it('divides the window by what fills it, in the size that was counted, and says what is free', () => {
  const segments = segmentsOf(partsWithin(parts, 200), 1_000)
  expect(segments.map(({ kind, tokens }) => `${kind} ${tokens}`)).toEqual([
    'system 60',
    'tools 120',
    'memory 20',
    'messages 0',
    'results 0',
    'free 800',
  ])
  expect(segmentsOf(partsWithin(parts, 200), 100).at(-1)).toEqual({ kind: 'free', tokens: 0 })
})
