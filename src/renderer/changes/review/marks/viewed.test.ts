import { expect, it } from 'vitest'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { viewedOf, withMark } from './viewed.ts'

const change = (name: string, identity: string): FileChange => ({
  path: `/${name}` as VirtualPath,
  kind: 'modify',
  size: 1,
  added: 1,
  removed: 1,
  binary: false,
  identity,
})

it('takes a mark back when the file changes, even to one of the same length', () => {
  const before = [change('a', '1'), change('b', '1')]
  const marks = withMark({}, before, change('a', '1'), true)
  expect([...viewedOf(before, marks)]).toEqual(['/a'])
  expect([...viewedOf([change('a', '2'), change('b', '1')], marks)]).toEqual([])
})

it('forgets files that are no longer changed, and a mark that the person takes back', () => {
  const all = [change('a', '1'), change('b', '1')]
  const both = withMark(withMark({}, all, change('a', '1'), true), all, change('b', '1'), true)
  expect(Object.keys(both)).toEqual(['/a', '/b'])
  expect(withMark(both, [change('b', '1')], change('b', '1'), false)).toEqual({})
})
