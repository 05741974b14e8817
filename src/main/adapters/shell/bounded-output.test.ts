import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '#core/ports/test-size.testkit.ts'
import { createBoundedOutput } from './bounded-output.ts'

const pieces = fc.array(fc.string({ maxLength: 30, unit: 'binary' }), { maxLength: 40 })

it('keeps the exact beginning and end of output in any pieces, and counts the rest', () => {
  fc.assert(
    fc.property(pieces, fc.integer({ min: 8, max: 200 }), (texts, limit) => {
      const output = createBoundedOutput(limit, () => undefined)
      for (const text of texts) output.accept('stdout', Buffer.from(text))
      const whole = Buffer.from(texts.join(''))
      const { output: kept, omittedBytes } = output.result()
      const notice = omittedBytes > 0 ? `\n… ${omittedBytes} bytes left out …\n` : ''
      const cut = notice === '' ? Buffer.byteLength(kept) : Buffer.from(kept).indexOf(notice)
      const head = Buffer.from(kept).subarray(0, cut)
      const tail = Buffer.from(kept).subarray(cut + Buffer.byteLength(notice))
      expect(whole.subarray(0, head.length)).toEqual(head)
      expect(whole.subarray(whole.length - tail.length)).toEqual(tail)
      expect(head.length + tail.length + omittedBytes).toBe(whole.length)
      expect(head.length + tail.length).toBeLessThanOrEqual(limit)
      expect(omittedBytes === 0 || head.length + tail.length > limit - 8).toBe(true)
    }),
    runs(200, 5_000),
  )
})

it('keeps the end of a flood, in large pieces and in tiny ones', () => {
  const output = createBoundedOutput(1024 * 1024, () => undefined)
  for (const piece of [Buffer.alloc(65_536, 'x'), Buffer.from('y')])
    for (let count = 0; count < 3_000; count += 1) output.accept('stdout', piece)
  expect(output.result().output.endsWith(`${'x'.repeat(100)}${'y'.repeat(3_000)}`)).toBe(true)
})
