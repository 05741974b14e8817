import { expect, it } from 'vitest'
import { factsOf } from '#adapters/model-http/model-facts.testkit.ts'
import type { RequestMessage } from '#core/ports/model-client.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { describeLeftOut } from './left-out.ts'
import { profileFrom } from './profiles.ts'

const image = { type: 'image', mediaType: 'image/png', data: 'AA' } as const
const thought = (signature: string) => ({ type: 'thinking', text: 'Hm.', signature }) as const
const said = (from: string, ...content: Extract<RequestMessage, { role: 'assistant' }>['content']): RequestMessage => ({
  ...{ role: 'assistant', content, from },
})
const messages: readonly RequestMessage[] = [
  { role: 'user', content: [image] },
  said('gate/m2', thought('a'), thought('b')),
  said('gate/m1', thought(''), thought('c')),
  { role: 'user', content: [{ type: 'tool_result', callId: 'c' as ToolCallId, content: [image], isError: false }] },
]
const tools = [{ name: 'ls', description: '', inputSchema: {} }]

function describe(setting: object, can: object = {}, refused: readonly string[] = []) {
  const profile = profileFrom('gate', { base_url: 'https://gate.example.com', ...setting })
  if (typeof profile === 'string') throw new Error(profile)
  return describeLeftOut({ model: 'gate/m1', messages, tools }, profile, factsOf('m1', { can }), new Set(refused))
}

it.each([
  [
    'the thoughts of others, and unsigned ones where only signed ones go back',
    {},
    {},
    [],
    [/^2 thoughts of other/, /^1 thought without/],
  ],
  ['no own thoughts where all go back', { thoughts: 'all' }, {}, [], [/^2 thoughts of other/]],
  [
    'images that the model does not read',
    { thoughts: 'all' },
    { images: false },
    [],
    [/of other/, /^2 images: m1 reads none/],
  ],
  [
    'images that the server refused',
    { thoughts: 'all' },
    {},
    ['images', 'caching'],
    [/of other/, /^2 images/, /refused before: images, cache marks/],
  ],
  ['what chat completions lack', { kind: 'openai', thoughts: 'all' }, {}, [], [/of other/, /no counterpart/]],
  ['tools that the model does not call', { thoughts: 'all' }, { tools: false }, [], [/of other/, /^The tools/]],
])('names %s', (_, setting, can, refused, sentences) => {
  expect(describe(setting, can, refused)).toEqual(sentences.map((words) => expect.stringMatching(words)))
})
