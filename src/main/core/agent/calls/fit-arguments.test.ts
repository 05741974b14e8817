import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '#shared/base/json.ts'
import { byTask, callingInTurn } from '../../ports/model-client.testkit.ts'
import { createMcpTool } from '../../tools/mcp-tool.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { fitArguments } from './fit-arguments.ts'

const properties = {
  ...{ limit: { type: 'integer' }, share: { type: 'number' }, all: { type: 'boolean' }, name: { type: 'string' } },
  ...{
    paths: { type: 'array', items: { type: 'integer' } },
    more: { type: 'object', properties: { depth: { type: 'integer' } } },
  },
} as const
const built = z.strictObject({
  ...{
    limit: z.int().optional(),
    share: z.number().optional(),
    all: z.boolean().optional(),
    name: z.string().optional(),
  },
  ...{ paths: z.array(z.int()).optional(), more: z.object({ depth: z.int() }).optional() },
}) as unknown as z.ZodType<JsonObject>
const served = createMcpTool({
  ...{ name: 'mcp__a__b', server: 'a', mustAsk: () => undefined, call: async () => ({ ok: true, content: [] }) },
  tool: { name: 'b', description: 'x', inputSchema: { type: 'object', properties } },
} as unknown as Parameters<typeof createMcpTool>[0]).schema

describe.each([
  ['a built-in tool', built],
  ['a tool of a server', served],
])('%s', (_, schema) => {
  it.each<[JsonObject, JsonObject]>([
    [{ limit: '10' }, { limit: 10 }],
    [{ limit: ' -3 ' }, { limit: -3 }],
    [{ share: '0.5' }, { share: 0.5 }],
    [
      { all: false, limit: '2' },
      { all: false, limit: 2 },
    ],
    [{ limit: null }, {}],
    [{ paths: '[1, 2]' }, { paths: [1, 2] }],
    [{ paths: '["1", "2"]' }, { paths: [1, 2] }],
    [{ paths: ['1'] }, { paths: [1] }],
    [{ more: '{"depth": "3"}' }, { more: { depth: 3 } }],
  ])('takes %j as %j and says so', (given, taken) => {
    const { parsed, understood } = fitArguments(schema, given)
    expect(parsed.data).toEqual(taken)
    expect(understood.length).toBeGreaterThan(0)
  })

  it.each<JsonObject>([
    { limit: 'ten' },
    { limit: '1e3' },
    { limit: '0x10' },
    { limit: '010' },
    { limit: '9999999999999999999' },
    { limit: true },
    { limit: '' },
    { all: 'true' },
    { name: 7 },
    { all: 1 },
    { name: ['a'] },
    { paths: 'a, b' },
    { paths: '{"a": 1}' },
    { more: '[1]' },
  ])('does not guess what %j means', (given) => {
    expect(fitArguments(schema, given)).toMatchObject({ parsed: { success: false }, understood: [] })
  })

  it('leaves arguments that fit as they are, whatever they look like', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer(), (name, limit) => {
        expect(fitArguments(schema, { name, limit })).toMatchObject({
          parsed: { data: { name, limit } },
          understood: [],
        })
      }),
    )
  })
})

/** Mutation: with `schema.safeParse` in `run-call.ts`, the call fails. */
it('a call with such arguments runs, and its result says how they were understood', async () => {
  const files = { '/a': 'one\ntwo\nthree\n' }
  const script = callingInTurn([['read_file', { file_path: '/a', offset: '2', limit: null }]])
  const world = await openWorld({ files, script })
  const id = await world.run('main')
  expect(world.results(id).c0).toContain('2\ttwo')
  expect(world.results(id).c0).toContain(
    '(Arguments: offset was given as text and taken as 2. limit was null and counts as not given.)',
  )
})

it('a batch whose tasks were written as text runs all of them', async () => {
  const tasks = JSON.stringify(['one', { description: 'two' }])
  const world = await openWorld({ script: byTask({ main: [{ calls: [{ name: 'batch_task', input: { tasks } }] }] }) })
  const id = await world.run('main')
  expect(world.children(id).map(({ end }) => end?.status)).toEqual(['done', 'done'])
})
