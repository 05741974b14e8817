import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ScanQuery } from '#core/ports/search.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type ContentScanOptions, createContentScan } from './content-scan.ts'
import { findFiles } from './find-files.ts'
import { openSearchRoot } from './search-folder.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'scan-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** A scan for `needle`, and the paths that it was asked about. */
function open(limits: ContentScanOptions['limits'] = {}) {
  const root = openSearchRoot(folder)
  const scope = { path: rootPath, hidden: [], overlay: [], includeIgnored: true }
  const listFiles = () => findFiles(root, [], scope, new AbortController().signal)
  const looked: VirtualPath[] = []
  const query: ScanQuery = {
    pattern: 'needle',
    startBytes: 100_000,
    holds(path, start) {
      looked.push(path)
      return Buffer.from(start).includes('needle')
    },
    skippedFolders: ['skipped'],
  }
  const scan = createContentScan({ root, listFiles, limits })
  return { scan: () => scan(query), looked }
}

/** So long ago that no later change can share its time. */
function settle(...paths: readonly string[]): void {
  for (const path of paths) utimesSync(join(folder, path), 1, 1)
}

const always = { quickLook: Number.POSITIVE_INFINITY }

describe('a scan of contents', () => {
  it('notices what changes, appears and disappears', async () => {
    for (const path of ['a', 'b', 'c']) write(path, 'hay')
    const { scan } = open(always)
    expect((await scan()).found).toEqual([])
    appendFileSync(join(folder, 'a'), 'needle')
    write('d/e', 'needle')
    expect((await scan()).found).toEqual(['/a', '/d/e'])
    write('a', 'hay')
    rmSync(join(folder, 'd'), { recursive: true })
    write('b', 'needle')
    expect(await scan()).toEqual({ all: ['/a', '/b', '/c'], found: ['/b'], unsearched: [] })
  })

  it('notices a file that was changed without a change of its size and its time of change', async () => {
    write('a', 'nothing')
    settle('a')
    const { scan } = open({ ...always, settling: -60_000 })
    expect((await scan()).found).toEqual([])
    write('a', ' needle')
    settle('a')
    expect(statSync(join(folder, 'a')).mtimeMs).toBe(1_000)
    expect((await scan()).found).toEqual(['/a'])
  })

  it('reads nothing again that has not changed', async () => {
    for (const path of ['a', 'b']) write(path, 'needle')
    const { scan, looked } = open({ ...always, settling: -60_000 })
    await scan()
    expect(await scan()).toMatchObject({ found: ['/a', '/b'] })
    expect(looked).toEqual(['/a', '/b'])
    const fresh = open(always)
    await fresh.scan()
    await fresh.scan()
    expect(fresh.looked).toEqual(['/a', '/b', '/a', '/b'])
  })

  it('finds keys in more files than a command line can name', async () => {
    for (let number = 0; number < 700; number += 1) write(`many/${number}`, number % 100 === 7 ? 'needle' : 'hay')
    write('skipped/a', 'needle')
    const { scan } = open()
    expect((await scan()).found).toHaveLength(7)
  })

  it('reads large files itself, from their start only', async () => {
    write('large', `needle${' '.repeat(17 * 1024 * 1024)}`)
    write('larger', `${' '.repeat(17 * 1024 * 1024)}needle`)
    const { scan, looked } = open()
    expect((await scan()).found).toEqual(['/large'])
    expect(looked).toEqual(['/large', '/larger'])
  })

  /** Mutation: taken as complete, a stopped engine would leave every file unsuspected. */
  it('reads the files itself when the engine was stopped, and finds the same', async () => {
    for (let number = 0; number < 50; number += 1) write(`f${number}`, number === 7 ? 'needle' : 'hay')
    const { scan, looked } = open({ engine: 0 })
    expect(await scan()).toMatchObject({ found: ['/f7'], unsearched: [] })
    expect(looked).toHaveLength(50)
  })

  it('says which files it had no time for, and goes on with them', async () => {
    for (const path of ['a', 'b', 'c']) write(path, path === 'b' ? 'needle' : 'hay')
    const limits = { engine: 0, reading: 0, ...always }
    const { scan } = open(limits)
    expect(await scan()).toMatchObject({ found: [], unsearched: ['/a', '/b', '/c'] })
  })

  // Mutation: when every error counts as "nobody can read it", the file is remembered as harmless.
  it.skipIf(process.platform === 'win32')('does not judge a file that the system fails to open', () => {
    for (const path of ['a', 'b']) write(path, 'needle')
    const script = join(import.meta.dirname, 'exhausted-scan.testkit.ts')
    const line = `ulimit -n 300; exec "$0" --no-warnings "$1" "$2"`
    const output = execFileSync('bash', ['-c', line, process.execPath, script, folder]).toString()
    expect(JSON.parse(output)).toMatchObject([
      { found: ['/a'], unsearched: ['/b'] },
      { found: ['/a', '/b'], unsearched: [] },
    ])
  })
})
