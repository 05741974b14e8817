import { expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { createMcpTool } from './mcp-tool.ts'

function toolOf(inputSchema: JsonObject) {
  return createMcpTool({
    name: 'mcp__s__t',
    server: 's',
    tool: { name: 't', description: '', inputSchema },
    mustAsk: () => undefined,
    call: async () => ({ ok: true, content: [] }),
  })
}

it('passes on what was shown: no default of the schema is filled in, nothing is left out', () => {
  const { schema } = toolOf({
    type: 'object',
    properties: { a: { type: 'number' }, force: { type: 'boolean', default: true } },
    required: ['a'],
  })
  expect(schema.safeParse({ a: 1, other: 'x' }).data).toEqual({ a: 1, other: 'x' })
  expect(schema.safeParse({ a: '1' }).error?.issues).toMatchObject([{ path: ['a'] }])
})

it('runs no regular expression of a server, and still checks an argument that is called pattern', () => {
  const text = { type: 'string', pattern: '^(a+)+$' }
  const { schema } = toolOf({
    type: 'object',
    properties: { text, pattern: { type: 'string' } },
    required: ['pattern'],
  })
  expect(schema.safeParse({ text: `${'a'.repeat(60)}!`, pattern: '(' }).success).toBe(true)
  expect(schema.safeParse({ text: 'a' }).success).toBe(false)
})

it('takes any object where the schema cannot be read', () => {
  const { schema } = toolOf({ type: 'object', properties: { a: { $ref: '#/nowhere' } } })
  expect(schema.safeParse({ a: 1 }).success).toBe(true)
})
