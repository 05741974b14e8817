import { expect, it } from 'vitest'
import { replyLimit } from './request-rules.ts'

it.each([
  [64_000, null, 200_000, 64_000],
  [64_000, 8_000, 200_000, 8_000],
  [64_000, null, 32_000, 16_000],
  [64_000, 30_000, 8_001, 4_000],
  [64_000, null, 1, 1],
])('of %i tokens, most %o for a reply and %i in all, %i are asked for', (wanted, maxOutput, context, limit) => {
  expect(replyLimit(wanted, { maxOutput, context })).toBe(limit)
})
