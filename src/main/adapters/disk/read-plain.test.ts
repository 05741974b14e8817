import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMemoryBlobStore, createOverlayTransaction, emptyTree } from '#overlay'
import { testHashing } from '#overlay/testkit'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createDiskBaseTree } from './disk-base-tree.ts'

const at = (path: string) => path as VirtualPath
let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-plain-')))
  for (const name of ['open', 'closed']) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'file.txt'), name)
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function openTransaction(most?: number) {
  const base = createDiskBaseTree(folder, null, most)
  return createOverlayTransaction({
    base,
    blobs: createMemoryBlobStore(testHashing),
    hashing: testHashing,
    tree: emptyTree,
  })
}
const textOf = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString() : undefined)

describe('a plain read', () => {
  it('gives a file that nobody changed, or a part of it', async () => {
    const transaction = openTransaction()
    expect(textOf(await transaction.readPlain(at('/open/file.txt')))).toBe('open')
    expect(textOf(await transaction.readPlain(at('/open/file.txt'), { offset: 1, length: 2 }))).toBe('pe')
  })

  it('gives nothing once the folder was swapped for a link to another one', async () => {
    const transaction = openTransaction()
    await transaction.readPlain(at('/open/file.txt'))
    renameSync(join(folder, 'open'), join(folder, 'away'))
    symlinkSync('closed', join(folder, 'open'))
    expect(await transaction.readPlain(at('/open/file.txt'))).toBeUndefined()
    expect(await transaction.leadsTo(at('/open/file.txt'))).toBe('/closed/file.txt')
  })

  it('gives nothing for a file that was swapped for a link', async () => {
    const transaction = openTransaction()
    rmSync(join(folder, 'open/file.txt'))
    symlinkSync('../closed/file.txt', join(folder, 'open/file.txt'))
    expect(await transaction.readPlain(at('/open/file.txt'))).toBeUndefined()
  })

  it('gives nothing for what the branch changed, deleted or covered', async () => {
    const transaction = openTransaction()
    await transaction.write(at('/open/file.txt'), Buffer.from('changed'))
    await transaction.delete(at('/closed'))
    expect(await transaction.readPlain(at('/open/file.txt'))).toBeUndefined()
    expect(await transaction.readPlain(at('/closed/file.txt'))).toBeUndefined()
  })

  it('leaves it to the full read to say why something cannot be read', async () => {
    const transaction = openTransaction(3)
    for (const path of ['/open/file.txt', '/open', '/missing', '/'])
      expect(await transaction.readPlain(at(path)), path).toBeUndefined()
    await expect(transaction.read(at('/open/file.txt'))).rejects.toMatchObject({ code: 'too_large' })
  })
})
