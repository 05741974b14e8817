import { isSpecType } from '@modelcontextprotocol/client'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mendAnswer } from './mend-answers.ts'

const any = fc.oneof(fc.jsonValue(), fc.constant(null), fc.string())
const schema = fc.oneof(
  any,
  fc.record(
    {
      type: fc.oneof(any, fc.constantFrom('object', 'string', ['object', 'null'])),
      properties: fc.oneof(any, fc.dictionary(fc.string(), any)),
      required: any,
      $ref: any,
      anyOf: any,
    },
    { requiredKeys: [] },
  ),
)
const good = {
  name: 'good',
  description: 'Good.',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
}
const tool = fc.oneof(
  any,
  fc.constant(good),
  fc.record(
    {
      name: fc.oneof(any, fc.string({ minLength: 1 })),
      description: any,
      inputSchema: schema,
      outputSchema: schema,
      annotations: any,
    },
    { requiredKeys: [] },
  ),
)
const part = fc.oneof(
  any,
  fc.record(
    {
      type: fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'json', null),
      text: any,
      data: any,
      mimeType: any,
      uri: any,
      resource: fc.oneof(any, fc.record({ uri: any, text: any }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  ),
)

const mended = (result: unknown, tell: (problem: string) => void = () => {}) =>
  (mendAnswer({ jsonrpc: '2.0', id: 1, result }, tell) as { readonly result: { readonly tools: readonly unknown[] } })
    .result

it('gives the library a list of tools that it takes, and tells of each one that it leaves out', () => {
  fc.assert(
    fc.property(fc.array(tool), any, (tools, cursor) => {
      const problems: string[] = []
      const result = mended({ tools, nextCursor: typeof cursor === 'string' ? cursor : null }, (told) =>
        problems.push(told),
      )
      expect(isSpecType.ListToolsResult(result)).toBe(true)
      expect(result.tools.length).toBeGreaterThanOrEqual(tools.filter((one) => one === good).length)
      expect(problems.filter((told) => told.includes('not offered')).length).toBe(tools.length - result.tools.length)
    }),
  )
})

it('gives the library a result that it takes, whatever its parts are', () => {
  const content = fc.oneof(any, fc.array(part))
  fc.assert(
    fc.property(
      fc.record({ content, structuredContent: any, isError: any }, { requiredKeys: ['content'] }),
      (result) => {
        expect(isSpecType.CallToolResult(mended(result))).toBe(true)
      },
    ),
  )
})

it.each([{ capabilities: null, serverInfo: null, instructions: null }, { capabilities: { tools: {}, prompts: null } }])(
  'gives the library a greeting that it takes: %j',
  (greeting) => {
    expect(isSpecType.InitializeResult(mended({ protocolVersion: '2025-06-18', ...greeting }))).toBe(true)
  },
)

it('leaves a tool that needs no mending as it is, to the order of its keys', () => {
  expect(JSON.stringify(mended({ tools: [good] }).tools)).toBe(JSON.stringify([good]))
})
