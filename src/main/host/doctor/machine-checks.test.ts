import { expect, it } from 'vitest'
import { examineSpans } from './machine-checks.ts'

const detailsOf = (...of: Parameters<typeof examineSpans>) => [...examineSpans(...of)].map(({ detail }) => detail)

it('says where spans are sent and with what, but neither path nor header', () => {
  const target = { url: 'https://me:secret@otel.example:4318/t0ken/v1/traces', headers: { authorization: 'Bearer x' } }
  expect(detailsOf(null)).toEqual([])
  expect(detailsOf({ ...target, content: false })).toEqual([
    'of what agents do are sent to otel.example:4318, without texts',
  ])
  expect(detailsOf({ ...target, content: true })).toEqual([
    'of what agents do are sent to otel.example:4318, with the texts of messages, arguments and results',
  ])
})
