import { describe, expect, it } from 'vitest'
import type { RequestMessage } from '#core/ports/model-client.ts'
import { createThoughtCarrier } from './carry-thoughts.ts'

const signed = { type: 'thinking', text: 'Hm.', signature: 's' } as const
const unsigned = { type: 'thinking', text: 'Ah.', signature: '' } as const
const sealed = { type: 'redacted_thinking', data: 'x' } as const
const text = { type: 'text', text: 'Yes.' } as const
const said = (from: string | undefined): RequestMessage => ({
  role: 'assistant',
  content: [signed, unsigned, sealed, text],
  ...(from !== undefined && { from }),
})
const contentOf = (messages: readonly RequestMessage[]) => messages.map(({ content }) => content)

describe('thoughts in a request', () => {
  it.each([
    ['signed', [signed, sealed, text]],
    ['all', [signed, unsigned, sealed, text]],
    [
      'as_text',
      [
        { type: 'text', text: '<thinking>\nHm.\n</thinking>' },
        { type: 'text', text: '<thinking>\nAh.\n</thinking>' },
        text,
      ],
    ],
  ] as const)('go back to the model that had them as the profile says: %s', (mode, carried) => {
    const carry = createThoughtCarrier(mode)
    expect(contentOf(carry([said('gate/m1'), said(undefined)], 'gate/m1'))).toEqual([carried, carried])
  })

  it.each(['signed', 'all', 'as_text'] as const)('of another model stay away (%s)', (mode) => {
    expect(contentOf(createThoughtCarrier(mode)([said('gate/m2')], 'gate/m1'))).toEqual([[text]])
  })

  it('are made once for each model, so that a long conversation keeps its bytes', () => {
    const carry = createThoughtCarrier('signed')
    const messages = [said('a'), { role: 'user', content: [text] } as const]
    const [first, second, other] = [carry(messages, 'a'), carry(messages, 'a'), carry(messages, 'b')]
    expect(second[0]).toBe(first[0])
    expect(second[1]).toBe(messages[1])
    expect(other[0]).not.toBe(first[0])
  })
})
