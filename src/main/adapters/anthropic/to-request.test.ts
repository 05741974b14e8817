import { expect, it } from 'vitest'
import type { ModelRequest, RequestMessage } from '#core/ports/model-client.ts'
import { factsOf } from '../model-http/model-facts.testkit.ts'
import { toRequest } from './to-request.ts'

const said = (text: string): RequestMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const replied = (...content: Extract<RequestMessage, { role: 'assistant' }>['content']): RequestMessage => ({
  role: 'assistant',
  content,
})
const thought = (signature: string) => ({ type: 'thinking', text: 'Hm.', signature }) as const

function messagesOf(...messages: readonly RequestMessage[]) {
  const request: ModelRequest = {
    model: 'm',
    system: '',
    tools: [],
    messages,
    maxTokens: 100,
    temperature: null,
    effort: null,
  }
  return toRequest(request, factsOf('m')).messages
}

const last = { role: 'user', content: [{ type: 'text', text: 'Go on.', cache_control: { type: 'ephemeral' } }] }

it.each([
  ['empty', []],
  ['blank', [{ type: 'text', text: ' \n' }]],
  ['nothing but thoughts', [thought('signed')]],
] as const)('leaves out a reply that is %s, because the provider would refuse every later request', (_, content) => {
  const first = { role: 'user', content: [{ type: 'text', text: 'Hello' }] }
  expect(messagesOf(said('Hello'), replied(...content), said('Go on.'))).toEqual([first, last])
})

it('keeps thoughts before the text they led to, and drops those after it', () => {
  const reply = replied(thought('signed'), { type: 'text', text: 'So be it.' }, thought('late'))
  expect(messagesOf(said('Hello'), reply, said('Go on.'))[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
      { type: 'text', text: 'So be it.' },
    ],
  })
})

it('marks the end of the conversation for the cache when the last message is left out', () => {
  expect(messagesOf(said('Go on.'), said(' '))).toEqual([last])
})
