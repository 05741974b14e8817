import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mcpToolName } from './mcp-names.ts'

it('keeps names that the API accepts', () => {
  expect(mcpToolName('github', 'get_issue')).toBe('mcp__github__get_issue')
  expect(mcpToolName('my_server-2', 'a__b')).toBe('mcp__my_server-2__a__b')
})

it('always fits the API', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 80 }),
      fc.string({ minLength: 1, maxLength: 80 }),
      (server, tool) => {
        expect(mcpToolName(server, tool)).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      },
    ),
  )
})

it('is different for any two tools, however they are spelled', () => {
  const long = 'x'.repeat(70)
  const pairs = [
    ...[
      ['a.b', 'c'],
      ['a_b', 'c'],
      ['a b', 'c'],
      ['a', 'b__c'],
      ['a__b', 'c'],
      ['a_', 'b'],
      ['a', '_b'],
    ],
    ...[
      ['a', 'b.c'],
      ['a', 'b_c'],
      ['s', long],
      ['s', `${long}y`],
      ['', 'a'],
      ['_', 'a'],
    ],
  ] as const
  const names = pairs.map(([server = '', tool = '']) => mcpToolName(server, tool))
  expect(new Set(names).size).toBe(pairs.length)
})

it.each(['github__get', 'github_', '_github', 'github__', 'github__get_issue'])(
  'of the server %s fits no rule about the server github',
  (server) => {
    expect(mcpToolName(server, 'get_issue')).not.toMatch(/^mcp__github__/)
  },
)
