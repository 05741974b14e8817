import { expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import type { ImagePart, UserPart } from '#shared/model/message.ts'
import { createMcpTool } from './mcp-tool.ts'
import type { ToolContext } from './tool.ts'

function toolOf(inputSchema: JsonObject, content: readonly UserPart[] = []) {
  return createMcpTool({
    name: 'mcp__s__t',
    server: 's',
    tool: { name: 't', description: '', inputSchema },
    mustAsk: () => undefined,
    call: async () => ({ ok: true, content }),
  })
}

it('passes on exactly the arguments that were shown, without defaults from the schema', () => {
  const { schema } = toolOf({
    type: 'object',
    properties: { a: { type: 'number' }, force: { type: 'boolean', default: true } },
    required: ['a'],
  })
  expect(schema.safeParse({ a: 1, other: 'x' }).data).toEqual({ a: 1, other: 'x' })
  expect(schema.safeParse({ a: '1' }).error?.issues).toMatchObject([{ path: ['a'] }])
})

it('runs no regular expression of a server, and still checks an argument named pattern', () => {
  const text = { type: 'string', pattern: '^(a+)+$' }
  const { schema } = toolOf({
    type: 'object',
    properties: { text, pattern: { type: 'string' } },
    required: ['pattern'],
  })
  expect(schema.safeParse({ text: `${'a'.repeat(60)}!`, pattern: '(' }).success).toBe(true)
  expect(schema.safeParse({ text: 'a' }).success).toBe(false)
})

it('accepts any object when the schema cannot be read', () => {
  const { schema } = toolOf({ type: 'object', properties: { a: { $ref: '#/nowhere' } } })
  expect(schema.safeParse({ a: 1 }).success).toBe(true)
})

/** The header of a PNG with this many pixels per side. */
function png(side: number): string {
  const header = Buffer.alloc(24)
  header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  header.write('IHDR', 12)
  header.writeUInt32BE(side, 16)
  header.writeUInt32BE(side, 20)
  return header.toString('base64')
}

it('shows no image that a provider would refuse, and each with its real type', async () => {
  const image = (mediaType: ImagePart['mediaType'], data: string): UserPart => ({ type: 'image', mediaType, data })
  const sent = [
    image('image/jpeg', png(1)),
    image('image/png', png(8_001)),
    image('image/png', 'AAAA'),
    image('image/png', '*'),
  ]
  const { content } = await toolOf({ type: 'object' }, sent).run({}, {} as ToolContext)
  expect(content).toEqual([
    image('image/png', png(1)),
    { type: 'text', text: '(image/png image, not shown: Too large to show (at most 8,000 px a side).)' },
    { type: 'text', text: '(image/png image that cannot be read, not shown)' },
    { type: 'text', text: '(image/png image that cannot be read, not shown)' },
  ])
})
