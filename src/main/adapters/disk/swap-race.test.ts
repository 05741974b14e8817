import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DiskApplyError } from '#core/ports/disk-apply.ts'
import { scopeOf } from '#core/ports/search.contract.ts'
import { repeats, timeLimit } from '#core/ports/test-size.testkit.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createRipgrepSearch } from '../search/ripgrep-search.ts'
import { file, hashing, step } from './apply-world.testkit.ts'
import { createDiskApply } from './disk-apply.ts'
import { createDiskBaseTree } from './disk-base-tree.ts'

/**
 * While the project is read and written, a folder of it is swapped again and again for a link to a folder outside.
 */
const [reads, swaps, writes] = [repeats(20_000, 1_000_000), repeats(20_000, 1_000_000), repeats(60, 20_000)]
const inside = 'inside'
const canary = 'canary: these bytes are not of the project'
const at = (path: string): VirtualPath => path as VirtualPath

let above: string
let root: string
let swapper: Worker
let swapped: Int32Array

beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-swap-'))
  root = join(above, 'root')
  for (const folder of ['root/folder/deep', 'outside/deep']) mkdirSync(join(above, folder), { recursive: true })
  for (const folder of ['', 'deep/']) {
    writeFileSync(join(root, 'folder', folder, 'a'), inside)
    for (const name of ['a', 'canary']) writeFileSync(join(above, 'outside', folder, name), canary)
  }
  swapped = new Int32Array(new SharedArrayBuffer(4))
})
afterEach(async () => {
  await swapper.terminate()
  rmSync(above, { recursive: true, force: true })
})

it(`${reads} reads: not one byte, size or name from outside comes out of the tree`, {
  timeout: timeLimit(60_000),
}, async () => {
  startSwapping(0)
  const tree = createDiskBaseTree(root)
  let done = 0
  const seen = new Map<string, number>()
  const look = async (what: string, read: () => Promise<unknown>) => {
    const found = await read().catch(() => undefined)
    done += 1
    if (found !== undefined) seen.set(`${what} ${String(found)}`, (seen.get(`${what} ${String(found)}`) ?? 0) + 1)
  }
  const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)
  const size = async (path: string) => {
    const node = await tree.stat(at(path))
    return node?.kind === 'file' ? node.size : undefined
  }
  while (done < reads || Atomics.load(swapped, 0) < swaps) {
    for (const path of ['/folder/a', '/folder/deep/a']) {
      await look('read', async () => text(await tree.read(at(path))))
      await look('unlinked', async () => text((await tree.readUnlinked(at(path)))?.bytes))
      await look('size', () => size(path))
    }
    for (const path of ['/folder', '/folder/deep'])
      await look(`list ${path}`, async () => (await tree.list(at(path)))?.entries.map(({ name }) => name))
    await setImmediate()
  }
  expect([...seen.keys()].sort()).toEqual([
    'list /folder a,deep',
    'list /folder/deep a',
    `read ${inside}`,
    `size ${inside.length}`,
    `unlinked ${inside}`,
  ])
})

it(`${writes} writes: nothing outside is made, changed or removed`, { timeout: timeLimit(60_000) }, async () => {
  startSwapping(0.3)
  const records = join(above, 'records')
  mkdirSync(records)
  const disk = createDiskApply({ rootFolder: root, recordFolder: records, hashing })
  const counts = { written: 0, refused: 0 }
  // Goes on until both have happened, so that the race was met.
  for (let number = 0; number < writes || counts.written === 0 || counts.refused === 0; number += 1) {
    const content = `${number}\n`
    const places = number % 2 === 0 ? [`/folder/${number}`] : [`/folder/deep/${number}`, `/folder/new-${number}/in`]
    const steps = places.map((path) => step(path, null, file(content)))
    const error: unknown = await disk
      .apply(steps, () => Buffer.from(content))
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
    counts[error === undefined ? 'written' : 'refused'] += 1
    if (error !== undefined) expect(error).toBeInstanceOf(DiskApplyError)
    if (number % 20 === 0) expectOutsideUntouched()
  }
  expectOutsideUntouched()
  console.log(JSON.stringify(counts))
})

it('searches find nothing outside either', { timeout: timeLimit(60_000) }, async () => {
  startSwapping(0)
  using search = createRipgrepSearch({ rootFolder: root, temporaryFolder: join(above, 'temporary') })
  const query = { pattern: 'canary', context: 0, caseInsensitive: false, literal: true, multiline: false }
  const signal = new AbortController().signal
  const names = new Set<string>()
  for (let searches = 0; searches < repeats(100, 2_000); searches += 1) {
    for (const path of ['/folder', '/folder/deep', '/']) {
      expect((await search.grep(query, scopeOf({ path }), signal)).files).toEqual([])
      for (const name of await search.files([], scopeOf({ path }), signal)) names.add(name)
    }
  }
  /** For an instant the swapping process keeps the folder itself beside the link. */
  const known = ['/folder/a', '/folder/deep/a', '/kept/a', '/kept/deep/a']
  expect([...names].filter((name) => !known.includes(name))).toEqual([])
  expect(names).toContain('/folder/a')
})

/** Swaps the folder without end, and leaves it alone for up to `pauseMs` between two swaps. */
function startSwapping(pauseMs: number): void {
  const workerData = { root, outside: join(above, 'outside'), swapped, pauseMs }
  swapper = new Worker(swapping, { eval: true, workerData })
}

function expectOutsideUntouched(): void {
  const found = readdirSync(join(above, 'outside'), { recursive: true }).map(String).sort()
  expect(found).toEqual(['a', 'canary', 'deep', 'deep/a', 'deep/canary'])
  for (const name of found.filter((one) => one !== 'deep'))
    expect(readFileSync(join(above, 'outside', name), 'utf8')).toBe(canary)
}

const swapping = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
const { root, outside, swapped, pauseMs } = require('node:worker_threads').workerData
const folder = root + '/folder'
const never = new Int32Array(new SharedArrayBuffer(4))
let made = 0
/** For an instant nothing is there, and then an apply may make the folder itself. */
function put(act) {
  for (;;) {
    try {
      return act()
    } catch (error) {
      if (!['EEXIST', 'ENOTEMPTY'].includes(error.code)) throw error
      renameSync(folder, root + '/made-' + made++)
    }
  }
}
for (;;) {
  renameSync(folder, root + '/kept')
  put(() => symlinkSync(outside, folder))
  unlinkSync(folder)
  put(() => renameSync(root + '/kept', folder))
  Atomics.add(swapped, 0, 1)
  if (pauseMs > 0) Atomics.wait(never, 0, 0, Math.random() * pauseMs)
}
`
