import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createMemoryBlobStore, createOverlayTransaction, emptyTree, type Tree } from '#overlay'
import { at, bytes, describeFileTree, testHashing } from '#overlay/testkit'
import { createDiskBaseTree } from './disk-base-tree.ts'

const places: string[] = []
afterAll(() => places.forEach((place) => void rmSync(place, { recursive: true, force: true })))

function openDisk(files: Readonly<Record<string, string>>) {
  const place = mkdtempSync(join(tmpdir(), 'coppice-overlay-disk-'))
  places.push(place)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), content)
  }
  const sources = { base: createDiskBaseTree(place), blobs: createMemoryBlobStore(testHashing), hashing: testHashing }
  return { place, draft: (tree: Tree = emptyTree) => createOverlayTransaction({ ...sources, tree }) }
}

describeFileTree('overlay over a folder on disk', async (files) => openDisk(files).draft())
describeFileTree('forked overlay over a folder on disk, half of it deleted and made again', async (files) => {
  const { draft } = openDisk(files)
  const first = draft()
  for (const [path, content] of Object.entries(files)) {
    await first.delete(at(path))
    await first.write(at(path), bytes(content))
  }
  await first.write(at('/passing'), bytes(''))
  await first.delete(at('/passing'))
  return draft(first.tree)
})

describe('an absolute link into the folder', () => {
  it.each(['an empty', 'a changed'])('leads to the same file under %s overlay', async (state) => {
    const { place, draft: open } = openDisk({ '/real/a': 'a', '/other': 'o' })
    symlinkSync(join(place, 'real'), join(place, 'absolute'))
    symlinkSync(`${place}/none/../real/a`, join(place, 'climbing'))
    symlinkSync(`${place}-beside`, join(place, 'out'))
    const draft = open()
    if (state === 'a changed') await draft.write(at('/changed'), bytes(''))
    expect(await draft.read(at('/absolute/a'))).toEqual(bytes('a'))
    expect(await draft.read(at('/climbing'))).toEqual(bytes('a'))
    expect(await draft.stat(at('/absolute/a'))).toMatchObject({ kind: 'file', size: 1 })
    expect((await draft.list(at('/absolute')))?.entries).toHaveLength(1)
    await expect(draft.read(at('/out'))).rejects.toMatchObject({ code: 'link_leaves_root' })
    await draft.write(at('/absolute/a'), bytes('new'))
    expect(await draft.read(at('/real/a'))).toEqual(bytes('new'))
    await draft.makeSymlink(at('/made'), join(place, 'other'))
    expect(await draft.read(at('/made'))).toEqual(bytes('o'))
    expect(readFileSync(join(place, 'real/a'), 'utf8')).toBe('a')
    expect(readdirSync(place).sort()).toEqual(['absolute', 'climbing', 'other', 'out', 'real'])
  })
})
