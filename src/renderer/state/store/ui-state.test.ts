import { expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { initialUi, openFile, withFilesOf } from './ui-state.ts'

const [one, two] = ['one' as ThreadId, 'two' as ThreadId]
const path = '/a.ts' as VirtualPath

it('keeps the file tabs of each thread, and shows the chat when the shown file belongs to another one', () => {
  const opened = openFile(initialUi, path)
  const other = withFilesOf(opened, one, two)
  expect(other).toMatchObject({ openFiles: [], tab: 'chat' })
  expect(withFilesOf(other, two, one).openFiles).toEqual([path])
  expect(withFilesOf(opened, one, one)).toBe(opened)
})

it('gives a new thread the files that were open before its first message', () => {
  const begun = withFilesOf(openFile(initialUi, path), null, one)
  expect(begun).toMatchObject({ openFiles: [path], tab: { file: path } })
  expect(withFilesOf(begun, one, null).openFiles).toEqual([])
})
