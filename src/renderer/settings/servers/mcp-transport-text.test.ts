import { expect, it } from 'vitest'
import type { McpTransport } from '#shared/model/settings.ts'
import { emptyMcpForm, mcpFormOf, transportOf } from './mcp-transport-text.ts'

it.each<McpTransport>([
  { kind: 'stdio', command: 'npx', args: ['-y', 'a tool'], env: { TOKEN: 'a=b', EMPTY: '' } },
  { kind: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer a:b' } },
])('keeps a $kind server unchanged through its form', (transport) => {
  expect(transportOf(mcpFormOf('tools', transport))).toEqual(transport)
})

it('returns no server while something is missing', () => {
  expect(transportOf(emptyMcpForm)).toBeNull()
  expect(transportOf({ ...emptyMcpForm, target: 'node', pairs: 'no separator' })).toBeNull()
  expect(transportOf({ ...emptyMcpForm, kind: 'http', target: 'not an address' })).toBeNull()
  expect(transportOf({ ...emptyMcpForm, target: 'node', args: '\n\n' })).toMatchObject({ args: [] })
})
