import { expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { callId } from '../state/store/entries.testkit.ts'
import { previewOf } from './preview.ts'

const preview = (name: string, args: JsonObject): ReturnType<typeof previewOf> =>
  previewOf({ callId: callId('c'), name, args, description: '', rule: '', risk: 'low' })

function writeOf(name: string, args: JsonObject, before: string | null): string | null {
  const shown = preview(name, args)
  return shown.kind === 'write' ? shown.after(before) : null
}

it('shows a command exactly, with its other arguments beside it', () => {
  expect(preview('execute', { command: 'a\tb', timeout: 5 })).toEqual({
    kind: 'code',
    language: 'shell',
    text: 'a\tb',
    rest: [['timeout', 5]],
  })
})

it('shows what a write would leave in the file', () => {
  expect(writeOf('write_file', { file_path: '/a', content: 'new' }, 'old')).toBe('new')
  expect(writeOf('edit_file', { file_path: '/a', old_string: 'b', new_string: '$&!' }, 'abcb')).toBe('a$&!cb')
  expect(writeOf('edit_file', { file_path: '/a', old_string: 'b', new_string: 'x', replace_all: true }, 'abcb')).toBe(
    'axcx',
  )
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'b', new_string: 'c' },
  ]
  expect(writeOf('multi_edit', { file_path: '/a', edits }, 'a')).toBe('c')
})

it('shows the arguments of other calls', () => {
  expect(preview('delete', { path: '/a' })).toEqual({ kind: 'arguments', entries: [['path', '/a']] })
})
