import { expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { callId } from '../../state/store/entries.testkit.ts'
import { previewOf } from './preview.ts'

const preview = (name: string, args: JsonObject): ReturnType<typeof previewOf> =>
  previewOf({ callId: callId('c'), name, args, description: '', rule: '', risk: 'low' })

it('shows a command exactly, with its other arguments beside it', () => {
  expect(preview('execute', { command: 'a\tb', input: '{}', timeout: 5 })).toEqual({
    kind: 'code',
    language: 'shell',
    text: 'a\tb',
    rest: [
      ['input', '{}'],
      ['timeout', 5],
    ],
  })
})

it.each([
  ['write_file', { file_path: '/a', content: 'new' }],
  ['edit_file', { file_path: '/a', old_string: 'b', new_string: 'c' }],
  ['multi_edit', { file_path: '/a', edits: [] }],
  ['move', { from: '/a', to: '/b' }],
  ['delete', { path: '/a' }],
])('shows what %s would change', (name, args) => {
  expect(preview(name, args)).toEqual({ kind: 'changes' })
})

it('shows the arguments of other calls', () => {
  expect(preview('mcp__github__get', { path: '/a' })).toEqual({ kind: 'arguments', entries: [['path', '/a']] })
})
