import { mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createDiskWatcher } from './disk-watcher.ts'

const at = (path: string): VirtualPath => path as VirtualPath
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coppice-watch-'))
  mkdirSync(join(root, 'folder'))
  writeFileSync(join(root, 'folder/a'), '1')
  writeFileSync(join(root, 'folder/b'), '1')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

async function watching(paths: readonly string[]) {
  const watcher = createDiskWatcher(root, (error) => expect.fail(String(error)))
  const seen: string[] = []
  watcher.onChange((path) => seen.push(path))
  watcher.watch(paths.map(at))
  await setTimeout(300)
  const noticed = async (path: string, act: () => void) => {
    seen.length = 0
    act()
    await vi.waitFor(() => expect(seen).toContain(path), { timeout: 3000, interval: 20 })
    await setTimeout(150)
  }
  return { watcher, seen, noticed, [Symbol.dispose]: () => watcher[Symbol.dispose]() }
}

describe('disk watcher', () => {
  it('notices writes, saves by rename, deletion, return and a first appearance', { timeout: 15_000 }, async () => {
    using one = await watching(['/folder/a', '/folder/later'])
    await one.noticed('/folder/a', () => writeFileSync(join(root, 'folder/a'), '22'))
    await one.noticed('/folder/a', () => {
      writeFileSync(join(root, 'folder/swap'), '333')
      renameSync(join(root, 'folder/swap'), join(root, 'folder/a'))
    })
    await one.noticed('/folder/a', () => unlinkSync(join(root, 'folder/a')))
    await one.noticed('/folder/a', () => writeFileSync(join(root, 'folder/a'), '4444'))
    await one.noticed('/folder/a', () => writeFileSync(join(root, 'folder/a'), '55555'))
    await one.noticed('/folder/later', () => writeFileSync(join(root, 'folder/later'), '1'))
  })

  it('says nothing of paths it was not asked about, or no longer', { timeout: 15_000 }, async () => {
    using one = await watching(['/folder/a', '/folder/b'])
    one.watcher.unwatch([at('/folder/b')])
    writeFileSync(join(root, 'folder/b'), '22')
    writeFileSync(join(root, 'folder/c'), '1')
    await one.noticed('/folder/a', () => writeFileSync(join(root, 'folder/a'), '22'))
    expect(new Set(one.seen)).toEqual(new Set(['/folder/a']))
  })
})
