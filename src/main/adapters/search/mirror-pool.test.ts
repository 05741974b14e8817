import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { OverlayText } from '#core/ports/search.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createMirrorPool } from './mirror-pool.ts'

const signal = new AbortController().signal
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-mirrors-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const files = (contents: Readonly<Record<string, string>>): OverlayText[] =>
  Object.entries(contents).map(([path, text]) => ({
    path: path as VirtualPath,
    bytes: new TextEncoder().encode(text),
    hash: text as BlobHash,
  }))

function contentsOf(location: string, below = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(location, below), { withFileTypes: true }).flatMap((entry) => {
      const path = `${below}/${entry.name}`
      if (entry.isDirectory()) return Object.entries(contentsOf(location, path))
      return [[path, readFileSync(join(location, path), 'utf8')]]
    }),
  )
}

it('shows exactly the files of each search, whatever the last search left', async () => {
  using pool = createMirrorPool(join(folder, 'pool'))
  const searches = [
    { '/a': '1', '/d/x': '2', '/d/e/y': '3' },
    { '/a': '1', '/d/x': 'changed' },
    { '/a/b': '1', '/d': 'a file now' },
    {},
    { '/d/x': '2' },
  ]
  for (const wanted of searches) {
    using mirror = await pool.borrow(files(wanted), signal)
    expect(contentsOf(mirror.folder)).toEqual(wanted)
  }
})

it('writes only what changed, and repairs files that others removed or changed', async () => {
  using pool = createMirrorPool(join(folder, 'pool'))
  const timeOf = async (wanted: Readonly<Record<string, string>>, path: string) => {
    using mirror = await pool.borrow(files(wanted), signal)
    expect(contentsOf(mirror.folder)).toEqual(wanted)
    return statSync(join(mirror.folder, path)).ino
  }
  const first = await timeOf({ '/same': 's', '/other': 'o' }, 'same')
  expect(await timeOf({ '/same': 's', '/other': 'p' }, 'same')).toBe(first)
  rmSync(join(folder, 'pool/1/same'))
  writeFileSync(join(folder, 'pool/1/other'), 'foreign')
  await timeOf({ '/same': 's', '/other': 'p' }, 'same')
})

it('gives concurrent searches separate mirrors, and leaves nothing behind', async () => {
  mkdirSync(join(folder, 'pool'))
  writeFileSync(join(folder, 'pool/left'), 'by a process that was killed')
  const pool = createMirrorPool(join(folder, 'pool'))
  {
    using one = await pool.borrow(files({ '/a': '1' }), signal)
    using two = await pool.borrow(files({ '/a': '2' }), signal)
    expect([contentsOf(one.folder), contentsOf(two.folder)]).toEqual([{ '/a': '1' }, { '/a': '2' }])
    expect(existsSync(join(folder, 'pool/left'))).toBe(false)
  }
  pool[Symbol.dispose]()
  expect(readdirSync(folder)).toEqual([])
})
