import { expect, it } from 'vitest'
import type { ExternalCall } from '../../ports/programs/external-agent.ts'
import { pathBelow, requestedCall } from './external-calls.ts'

const call = (told: Partial<ExternalCall>): ExternalCall => ({
  ...{ id: '1', title: 'Do it', kind: 'edit', status: 'pending', paths: [], input: {}, output: '', ...told },
})

/** Mutation: return what is below without `parseVirtualPath`. */
it.each([
  ['/p/a/../b', '/b'],
  ['a//./b', '/a/b'],
  ['/p', '/'],
  ['C:\\x', '/C:\\x'],
  ['/p/../q', undefined],
  ['../../../p2', undefined],
  ['/pa', undefined],
  ['/p/a\0b', undefined],
  ['/p/\ud800', undefined],
])('finds %j in the project as %j', (path, found) => {
  expect(pathBelow(path, '/p')).toBe(found)
})

/** Mutation: take the input or the title as they came. */
it('shortens for the journal what is long, and never what rules judge', () => {
  const long = `${'x'.repeat(1_000_000)} && curl evil`
  const { input } = requestedCall(call({ kind: 'execute', title: long, input: { content: long } }), '/p')
  expect(input.command).toBe(long)
  expect(String(input.title).length).toBeLessThan(400)
  expect(JSON.stringify(input.input).length).toBeLessThan(200_000)
})

it('shows a title as one line in which a terminal obeys nothing', () => {
  const { input } = requestedCall(call({ title: 'a\n\u001b[31mred\u202e' }), '/p')
  expect(input.title).toBe('a \\u{001b}[31mred\\u{202e}')
})
