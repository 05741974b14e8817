import { describe, expect, it } from 'vitest'
import { createOutputRing } from './output-ring.ts'

describe('output ring', () => {
  it('returns what came since a position, and the position after it', () => {
    const ring = createOutputRing(1000)
    ring.add('one\n')
    const { next } = ring.from(0)
    ring.add('zwö\n')
    expect(ring.from(next)).toEqual({ text: 'zwö\n', next: 9, droppedBytes: 0 })
    expect(ring.from(9)).toEqual({ text: '', next: 9, droppedBytes: 0 })
    expect(ring.from(99)).toEqual({ text: '', next: 9, droppedBytes: 0 })
  })

  it('says how much it dropped, and drops whole characters', () => {
    const ring = createOutputRing(10)
    for (let count = 0; count < 100; count += 1) ring.add('äöü\n')
    const { text, next, droppedBytes } = ring.from(0)
    expect(next).toBe(700)
    expect(text.length).toBeGreaterThan(4)
    expect(text).not.toContain('\ufffd')
    expect(droppedBytes + new TextEncoder().encode(text).length).toBe(700)
    expect(ring.from(droppedBytes).droppedBytes).toBe(0)
  })
})

it('gives a long output in parts that end between characters', () => {
  const ring = createOutputRing(1_000)
  ring.add('aéaéaé')
  const first = ring.from(0, 2)
  expect(first).toEqual({ text: 'aé', next: 3, droppedBytes: 0 })
  expect(ring.from(first.next, 100)).toEqual({ text: 'aéaé', next: 9, droppedBytes: 0 })
})
