import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readablePlaces } from './readable-places.ts'

const home = mkdtempSync(join(tmpdir(), 'coppice-home-'))
for (const folder of ['.cargo/bin', '.nvm', '.ssh', 'work/bin', 'data/views'])
  mkdirSync(join(home, folder), { recursive: true })
afterAll(() => rmSync(home, { recursive: true, force: true }))
const within = (hidden: readonly string[], path: string) =>
  readablePlaces(hidden, home, path).folders.filter((folder) => folder.startsWith(home))

it('includes tool chains in a home and the folders in PATH, but never a home or a folder above it', () => {
  const path = [join(home, 'work/bin'), home, '/', tmpdir(), 'relative', join(home, 'gone')].join(':')
  expect(within([], path)).toEqual(['.cargo/bin', '.nvm', 'work/bin'].map((name) => join(home, name)))
})

it('leaves out folders of the app, and every folder that contains one', () => {
  const path = [join(home, 'data'), join(home, 'data/views'), join(home, 'work/bin')].join(':')
  expect(within([join(home, 'data/views'), join(home, 'work/bin/deep')], path)).toEqual(
    ['.cargo/bin', '.nvm'].map((name) => join(home, name)),
  )
})
