import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '#core/ports/test-size.testkit.ts'
import { gramsOf, mayHoldGram, signatureOf } from './grams.ts'

it('a signature never denies what its text holds', () => {
  const texts = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 3_000 }), fc.string({ maxLength: 20_000 }))
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(60), (text, at, length) => {
      const signature = signatureOf(Buffer.from(text))
      const start = at % (text.length + 1)
      const part = Buffer.from(text.slice(start, start + length).toWellFormed())
      const isPart = Buffer.from(text).includes(part)
      return signature === null || !isPart || gramsOf(part).every((key) => mayHoldGram(signature, key))
    }),
    runs(300, 20_000),
  )
})

it('a signature takes at most a fifth of its text, whatever that holds', () => {
  const words = Array.from({ length: 3_000 }, (_, word) => `word${word % 700} = ${word}`).join('\n')
  for (const text of [Buffer.from(words), randomBytes(300_000), Buffer.from(randomBytes(90_000).toString('base64'))]) {
    const signature = signatureOf(text)
    expect((signature?.bits.byteLength ?? 0) / text.length).toBeLessThan(0.2)
  }
})
