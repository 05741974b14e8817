import { expect, it } from 'vitest'
import { deniedText, lacksOf } from './view-notes.ts'

it('hosts are offered only where the network was missed', () => {
  expect(deniedText([])).toBe('')
  expect(deniedText(['sh: a: Permission denied', 'b: Read-only file system'])).toBe(
    'The sandbox seems to have kept it from: sh: a: Permission denied; b: Read-only file system.',
  )
  for (const denied of ['example.com', 'curl: Could not resolve host: a', 'connect: Network is unreachable'])
    expect(deniedText(['a: Permission denied', denied])).toContain('The user can allow hosts')
})

it('files that could only be read are counted', () => {
  const nothing = { leftOut: [], evicted: [], missing: null }
  expect(lacksOf(nothing)).toEqual([])
  expect(lacksOf({ ...nothing, readOnlyFiles: 2 })).toEqual([
    expect.stringContaining('2 files or folders of another user'),
  ])
})
