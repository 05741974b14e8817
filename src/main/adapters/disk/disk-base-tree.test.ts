import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeBaseTree } from '#core/ports/base-tree.contract.ts'
import { type BaseFixture, createMemoryBlobStore, createOverlayTransaction, emptyTree } from '#overlay'
import { testHashing } from '#overlay/testkit'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createDiskBaseTree } from './disk-base-tree.ts'

describeBaseTree('on disk', async (fixtures) => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-base-'))
  for (const [path, fixture] of Object.entries(fixtures)) place(join(folder, path), fixture)
  return {
    tree: createDiskBaseTree(folder),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  }
})

function place(location: string, fixture: BaseFixture): void {
  mkdirSync(dirname(location), { recursive: true })
  if (typeof fixture === 'string' || fixture instanceof Uint8Array) writeFileSync(location, fixture)
  else if (fixture.kind === 'symlink') symlinkSync(fixture.target, location)
  else if (fixture.kind === 'directory') mkdirSync(location, { recursive: true })
  else if (fixture.kind === 'special') execFileSync('mkfifo', [location])
  else writeFileSync(location, fixture.content, { mode: fixture.executable ? 0o755 : 0o644 })
}

const at = (path: string): VirtualPath => path as VirtualPath

describe('disk base tree against a hostile folder', () => {
  let above: string
  let root: string

  beforeEach(() => {
    above = mkdtempSync(join(tmpdir(), 'coppice-hostile-'))
    root = join(above, 'root')
    mkdirSync(root)
    mkdirSync(join(above, 'outside'))
    writeFileSync(join(above, 'outside', 'a'), 'canary')
  })
  afterEach(() => rmSync(above, { recursive: true, force: true }))

  it('finds the kind of a FIFO without opening it, so that its writer does not notice', async () => {
    const tree = createDiskBaseTree(root)
    execFileSync('mkfifo', [join(root, 'fifo')])
    const writer = spawn('sh', ['-c', 'echo noticed > "$0"', join(root, 'fifo')], { stdio: 'ignore' })
    const ended = once(writer, 'close')
    for (const end = performance.now() + 300; performance.now() < end; await setTimeout(5)) {
      expect(await tree.readUnlinked(at('/fifo'))).toBeUndefined()
      expect(await tree.stat(at('/fifo'))).toMatchObject({ kind: 'special' })
    }
    expect(writer.exitCode).toBeNull()
    writer.kill()
    await ended
  })

  it('refuses FIFOs, sockets and devices at once, even eight at the same time', async () => {
    const tree = createDiskBaseTree(root)
    execFileSync('mkfifo', [join(root, 'fifo')])
    const server = createServer().listen(join(root, 'socket'))
    for (const path of ['/fifo', '/fifo', '/fifo', '/fifo', '/socket', '/fifo', '/fifo', '/fifo']) {
      await expect(tree.read(at(path))).rejects.toMatchObject({ code: 'not_a_file' })
      expect(await tree.stat(at(path))).toMatchObject({ kind: 'special' })
    }
    server.close()
  })

  it('hides a hidden folder, whatever path leads to it', async () => {
    mkdirSync(join(root, 'in/.data/projects'), { recursive: true })
    writeFileSync(join(root, 'in/.data/key'), 'canary')
    writeFileSync(join(root, 'in/.database'), 'seen')
    symlinkSync('in', join(root, 'above'))
    symlinkSync('in/.data', join(root, 'itself'))
    symlinkSync(join(root, 'in/.data/key'), join(root, 'below'))
    const tree = createDiskBaseTree(root, at('/in/.data'))
    for (const path of ['/in/.data', '/in/.data/key', '/above/.data', '/above/.data/key', '/itself/key', '/below']) {
      if (path !== '/below') expect(await tree.stat(at(path)), path).toBeUndefined()
      expect(await tree.list(at(path)), path).toBeUndefined()
      await expect(tree.read(at(path)), path).rejects.toMatchObject({ code: 'not_found' })
      expect(await tree.readUnlinked(at(path)), path).toBeUndefined()
    }
    expect(await tree.list(at('/itself'))).toBeUndefined()
    for (const folder of ['/in', '/above'])
      expect((await tree.list(at(folder)))?.entries.map(({ name }) => name)).toEqual(['.database'])
    expect(await tree.stat(at('/in/.database'))).toMatchObject({ kind: 'file' })
  })

  it('follows an absolute link that stays inside', async () => {
    const tree = createDiskBaseTree(root)
    writeFileSync(join(root, 'real'), 'x')
    symlinkSync(join(root, 'real'), join(root, 'absolute'))
    expect(await tree.read(at('/absolute'))).toEqual(new Uint8Array([120]))
    expect(tree.targetInside(join(root, 'real'))).toBe('/real')
    expect(tree.targetInside(`${root}-beside`)).toBeUndefined()
  })

  it('works when the root itself is reached through a link', async () => {
    symlinkSync('root', join(above, 'alias'))
    writeFileSync(join(root, 'a'), 'x')
    expect(await createDiskBaseTree(join(above, 'alias')).read(at('/a'))).toHaveLength(1)
  })

  it('counts names that are not UTF-8 and keeps the rest', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff])]), '')
    writeFileSync(join(root, 'good'), '')
    const listing = await createDiskBaseTree(root).list(at('/'))
    expect(listing?.unreadable).toBe(1)
    expect(listing?.entries.map((entry) => entry.name)).toEqual(['good'])
  })

  it('stops the reading of a file of 100 GB that is deleted when the signal aborts', async () => {
    writeFileSync(join(root, 'sparse'), '')
    truncateSync(join(root, 'sparse'), 100e9)
    const abort = new AbortController()
    const sources = { base: createDiskBaseTree(root), blobs: createMemoryBlobStore(testHashing), hashing: testHashing }
    const deleting = createOverlayTransaction({ ...sources, tree: emptyTree, signal: abort.signal }).delete(
      at('/sparse'),
    )
    setImmediate(() => abort.abort(new Error('stopped')))
    await expect(deleting).rejects.toThrow('stopped')
  })

  it('refuses a huge sparse file whole and reads a range of it', async () => {
    writeFileSync(join(root, 'sparse'), '')
    truncateSync(join(root, 'sparse'), 5_000_000_000)
    const tree = createDiskBaseTree(root)
    await expect(tree.read(at('/sparse'))).rejects.toMatchObject({ code: 'too_large' })
    expect(await tree.read(at('/sparse'), { offset: 4_999_999_990, length: 100 })).toHaveLength(10)
  })

  it('says what is wrong when the root goes away, and refuses a path the disk cannot hold', async () => {
    const tree = createDiskBaseTree(root)
    writeFileSync(join(root, 'a'), 'x')
    renameSync(root, `${root}-renamed`)
    const gone = { code: 'unreadable', message: expect.stringContaining('was moved away or replaced') }
    await expect(tree.read(at('/a'))).rejects.toMatchObject(gone)
    await expect(tree.stat(at('/a'))).rejects.toMatchObject(gone)
    for (const path of [at('/a'), at('/missing')]) {
      await expect(tree.readUnlinked(path)).rejects.toMatchObject(gone)
      await expect(tree.hashUnlinked(path)).rejects.toMatchObject(gone)
      await expect(tree.statUnlinked(path)).rejects.toMatchObject(gone)
    }
    renameSync(`${root}-renamed`, root)
    const deep = at('/x'.repeat(3000))
    await expect(tree.read(deep)).rejects.toMatchObject({ code: 'name_too_long' })
  })

  it('lists 20,000 files without blocking the process', async () => {
    writeFileSync(join(root, 'first'), '')
    for (let index = 0; index < 20_000; index += 1) linkSync(join(root, 'first'), join(root, `f${index}`))
    const tree = createDiskBaseTree(root)
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 1)
    const listing = await tree.list(at('/'), new AbortController().signal)
    clearInterval(timer)
    const stopped = new AbortController()
    const listed = tree.list(at('/'), stopped.signal)
    setImmediate(() => stopped.abort('enough'))
    await expect(listed).rejects.toBe('enough')
    expect(listing?.entries).toHaveLength(20_001)
    expect(turns).toBeGreaterThan(3)
  })

  it('does not block the process while someone takes many looks', async () => {
    writeFileSync(join(root, 'a'), 'x')
    const tree = createDiskBaseTree(root)
    let turns = 0
    const counting = setInterval(() => {
      turns += 1
    })
    // As many looks as it takes, so that a busy machine changes nothing; enough to end where none lets others go on.
    for (let looks = 0; turns <= 1 && looks < 100_000; looks += 1) {
      expect(await tree.statUnlinked(at('/a'))).toMatchObject({ kind: 'file' })
      expect((await tree.readUnlinked(at('/a')))?.bytes).toHaveLength(1)
    }
    clearInterval(counting)
    expect(turns).toBeGreaterThan(1)
  })
})
