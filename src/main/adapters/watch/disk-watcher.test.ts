import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { testSize, timeLimit } from '#core/ports/test-size.testkit.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createDiskWatcher } from './disk-watcher.ts'

const at = (path: string): VirtualPath => path as VirtualPath
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coppice-watch-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const onDisk = (path: string): string => join(root, path)
function put(path: string, text: string): void {
  mkdirSync(dirname(onDisk(path)), { recursive: true })
  writeFileSync(onDisk(path), text)
}

/** Watches paths. `noticed` does something and waits until the path is announced after it. */
function watching(paths: readonly string[]) {
  const watcher = createDiskWatcher(root, (error) => expect.fail(String(error)))
  const seen: string[] = []
  watcher.onChange((path) => seen.push(path))
  watcher.watch(paths.map(at))
  const noticed = async (path: string, act: () => void) => {
    seen.length = 0
    act()
    await vi.waitFor(() => expect(seen).toContain(path), { timeout: 5000, interval: 5 })
  }
  return { watcher, seen, noticed, [Symbol.dispose]: () => watcher[Symbol.dispose]() }
}

const saves: readonly (readonly [how: string, save: (path: string) => void])[] = [
  ['written in place', (path) => writeFileSync(path, 'new')],
  [
    'written beside it and renamed over it',
    (path) => {
      writeFileSync(`${path}.swap`, 'new')
      renameSync(`${path}.swap`, path)
    },
  ],
  [
    'renamed away as a backup and written again',
    (path) => {
      renameSync(path, `${path}~`)
      writeFileSync(path, 'new')
      unlinkSync(`${path}~`)
    },
  ],
  [
    'deleted and made again',
    (path) => {
      unlinkSync(path)
      writeFileSync(path, 'new')
    },
  ],
  [
    'replaced by a link',
    (path) => {
      unlinkSync(path)
      symlinkSync('elsewhere', path)
    },
  ],
  [
    'replaced by a folder',
    (path) => {
      unlinkSync(path)
      mkdirSync(path)
    },
  ],
  ['deleted', (path) => unlinkSync(path)],
]

describe('disk watcher', () => {
  it.each(saves)('notices a file that is %s right after it is watched, and its next change too', async (_, save) => {
    put('/folder/a', '1')
    using one = watching(['/folder/a'])
    await one.noticed('/folder/a', () => save(onDisk('/folder/a')))
    await one.noticed('/folder/a', () => {
      rmSync(onDisk('/folder/a'), { recursive: true, force: true })
      put('/folder/a', 'once more')
    })
  })

  it('notices a new file, and new folders above it', async () => {
    using one = watching(['/new/deep/file'])
    await one.noticed('/new/deep/file', () => put('/new/deep/file', '1'))
    await one.noticed('/new/deep/file', () => put('/new/deep/file', '2'))
  })

  it('notices a folder that is renamed away, one that takes its place, and changes in that one', async () => {
    put('/src/lib/a', '1')
    put('/other/lib/a', '2')
    using one = watching(['/src/lib/a'])
    await one.noticed('/src/lib/a', () => renameSync(onDisk('/src'), onDisk('/moved')))
    await one.noticed('/src/lib/a', () => renameSync(onDisk('/other'), onDisk('/src')))
    await one.noticed('/src/lib/a', () => put('/src/lib/a', '3'))
    put('/moved/lib/a', 'of the old folder')
    await one.noticed('/src/lib/a', () => rmSync(onDisk('/src'), { recursive: true }))
  })

  it('does not announce paths that are not watched', async () => {
    put('/folder/a', '1')
    put('/folder/b', '1')
    using one = watching(['/folder/a'])
    put('/folder/b', '22')
    put('/folder/c', '1')
    put('/a', '1')
    await one.noticed('/folder/a', () => put('/folder/a', '22'))
    expect(new Set(one.seen)).toEqual(new Set(['/folder/a']))
  })

  it('announces every changed file in a burst of 5,000 changes', async () => {
    const paths = Array.from({ length: 500 }, (_, index) => `/many/${index % 20}/file-${index}`)
    for (const path of paths) put(path, '0')
    using one = watching(paths)
    for (let change = 0; change < 5000; change += 1) put(paths[change % paths.length] ?? '', String(change))
    await vi.waitFor(() => expect(new Set(one.seen).size).toBe(paths.length), { timeout: 10_000, interval: 20 })
  })

  it('stops when it is disposed', async () => {
    put('/a', '1')
    using other = watching(['/a'])
    const one = watching(['/a'])
    one[Symbol.dispose]()
    await other.noticed('/a', () => put('/a', '2'))
    expect(one.seen).toEqual([])
  })
})

const sequencesTried = testSize(200, 10_000)

const files = ['/a/1', '/a/2', '/b/c/1', '/b/c/2', '/b/1', '/1']
const steps = fc.record({
  file: fc.constantFrom(...files),
  act: fc.constantFrom('write', 'swap', 'remove', 'remake', 'moveFolder', 'removeFolder', 'pause'),
})

/** Makes one change to the disk and returns every watched file that it changed. */
function act(step: { readonly file: string; readonly act: string }, number: number): readonly string[] {
  const [path, folder] = [onDisk(step.file), dirname(onDisk(step.file))]
  const isThere = existsSync(path)
  switch (step.act) {
    case 'write':
      put(step.file, String(number))
      return [step.file]
    case 'swap':
      put(`${step.file}.swap`, String(number))
      renameSync(`${path}.swap`, path)
      return [step.file]
    case 'remake':
      rmSync(path, { force: true })
      put(step.file, String(number))
      return [step.file]
    case 'remove':
      rmSync(path, { force: true })
      return isThere ? [step.file] : []
    default: {
      if (folder === root || !existsSync(folder)) return []
      const within = files.filter((each) => onDisk(each).startsWith(`${folder}/`) && existsSync(onDisk(each)))
      if (step.act === 'moveFolder') renameSync(folder, `${folder}-${number}`)
      else rmSync(folder, { recursive: true })
      return within
    }
  }
}

it(`the last change of each file is announced, whatever happens to files and their folders (${sequencesTried} sequences)`, {
  timeout: timeLimit(60_000),
}, async () => {
  const sequences = fc.array(steps, { minLength: 1, maxLength: 30 })
  const property = fc.asyncProperty(sequences, async (sequence) => {
    for (const path of files) put(path, '0')
    const watcher = createDiskWatcher(root, (error) => expect.fail(String(error)))
    const [lastChange, lastSeen] = [new Map<string, number>(), new Map<string, number>()]
    let number = 0
    watcher.onChange((path) => lastSeen.set(path, number))
    watcher.watch(files.map(at))
    for (const step of sequence) {
      number += 1
      if (step.act === 'pause') await setImmediate()
      else for (const path of act(step, number)) lastChange.set(path, number)
    }
    const missed = () => [...lastChange].filter(([path, change]) => (lastSeen.get(path) ?? -1) < change)
    await vi.waitFor(() => expect(missed()).toEqual([]), { timeout: 5000, interval: 5 })
    watcher[Symbol.dispose]()
    rmSync(root, { recursive: true })
    mkdirSync(root)
  })
  await fc.assert(property, { numRuns: sequencesTried })
})
