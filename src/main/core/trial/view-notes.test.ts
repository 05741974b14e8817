import { expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { deniedText, evictedText, lacksOf } from './view-notes.ts'

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

it('folders that could not be listed are counted', () => {
  expect(lacksOf({ leftOut: [], evicted: [], missing: null, closedFolders: 2 })).toEqual([
    expect.stringMatching(/^2 folders of another user or group are closed.* could not list them/),
  ])
})

it('a path at which two sides did something else is named with what became of the other version', () => {
  const one = { path: '/env/a' as VirtualPath, why: 'disk', keptAs: '~/kept/1/env/a' } as const
  expect(evictedText([one, { ...one, path: '/env/b' as VirtualPath, keptAs: null }])).toMatch(
    /moved: \/env\/a \(now at ~\/kept\/1\/env\/a\), \/env\/b \(it had been removed\)\.$/,
  )
  const pruned = { path: '/.git/refs/heads/a' as VirtualPath, why: 'pruned', keptAs: null } as const
  expect(evictedText([pruned])).toMatch(/cannot read their whole history: \/\.git\/refs\/heads\/a\.$/)
})
