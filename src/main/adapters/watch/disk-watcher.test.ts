import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { repeats, timeLimit } from '#core/ports/test-size.testkit.ts'
import { describeWatcher, type WatcherUnderTest } from '#core/ports/watcher.contract.ts'
import type { Watcher } from '#core/ports/watcher.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createDiskWatcher, type DiskWatcherOptions, mostWatched } from './disk-watcher.ts'
import { createPlaceWatcher } from './place-watcher.ts'
import type { WatchMode } from './watch-mode.ts'

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

const optionsFor = (mode: WatchMode): DiskWatcherOptions => ({
  rootFolder: root,
  mode,
  pollInterval: 20,
  onProblem: (error) => expect.fail(String(error)),
})

function underTest(create: (options: DiskWatcherOptions) => Watcher, mode: WatchMode) {
  return (paths: readonly string[]): WatcherUnderTest => {
    for (const path of paths) put(path, '1')
    const watcher = create(optionsFor(mode))
    return {
      watcher,
      write: put,
      rename: (from, to) => renameSync(onDisk(from), onDisk(to)),
      remove: (path) => rmSync(onDisk(path), { recursive: true, force: true }),
      makeFolder: (path) => mkdirSync(onDisk(path)),
      makeLink: (path, target) => symlinkSync(target, onDisk(path)),
      [Symbol.dispose]: () => watcher[Symbol.dispose](),
    }
  }
}

describeWatcher('single paths', underTest(createDiskWatcher, 'events'))
describeWatcher('single paths, polled', underTest(createDiskWatcher, 'polling'))
describeWatcher('places', underTest(createPlaceWatcher, 'events'))
describeWatcher('places, polled', underTest(createPlaceWatcher, 'polling'))

// Mutation: without the stamps of before, a file that goes before it was read once is never told.
it('a polled file is told when it goes, at whatever moment after the watch began', {
  timeout: timeLimit(60_000),
}, async () => {
  for (let turns = 0; turns < 24; turns += 1) {
    put('a/b.txt', '1')
    using watcher = createDiskWatcher(optionsFor('polling'))
    const seen = new Set<string>()
    watcher.onChange((path) => seen.add(path))
    watcher.watch([at('/a/b.txt')])
    for (let turn = 0; turn < turns; turn += 1) await setImmediate()
    renameSync(onDisk('a'), onDisk(`aside-${turns}`))
    await eventually(() => expect([turns, ...seen]).toEqual([turns, '/a/b.txt']), { interval: 5 })
  }
})

/** Watches paths. `noticed` does something and waits until the path is announced after it. */
function watching(paths: readonly string[]) {
  const watcher = createDiskWatcher(optionsFor('events'))
  const seen: string[] = []
  watcher.onChange((path) => seen.push(path))
  watcher.watch(paths.map(at))
  const noticed = async (path: string, act: () => void) => {
    seen.length = 0
    act()
    await eventually(() => expect(seen).toContain(path), { interval: 5 })
  }
  return { watcher, seen, noticed, [Symbol.dispose]: () => watcher[Symbol.dispose]() }
}

describe('disk watcher', () => {
  it.each([
    ['changes', () => put('/folder/a', '22')],
    ['goes', () => unlinkSync(onDisk('/folder/a'))],
    ['goes with its folder', () => rmSync(onDisk('/folder'), { recursive: true })],
    ['moves with its folder', () => renameSync(onDisk('/folder'), onDisk('/moved'))],
    ['is replaced', () => renameSync(onDisk('/other'), onDisk('/folder/a'))],
  ])('notices a file that %s right after it is watched', async (_, change) => {
    put('/folder/a', '1')
    put('/other', '2')
    using one = watching(['/folder/a'])
    await one.noticed('/folder/a', change)
  })

  it('announces every changed file in a burst of 5,000 changes', async () => {
    const paths = Array.from({ length: 500 }, (_, index) => `/many/${index % 20}/file-${index}`)
    for (const path of paths) put(path, '0')
    using one = watching(paths)
    for (let change = 0; change < 5000; change += 1) put(paths[change % paths.length] ?? '', String(change))
    await eventually(() => expect(new Set(one.seen).size).toBe(paths.length), { interval: 20 })
  })

  it('notices each of many files that are watched one after the other', async () => {
    const paths = Array.from({ length: 200 }, (_, index) => `/many/${index % 7}/file-${index}`)
    for (const path of paths) put(path, '0')
    using one = watching([])
    for (const path of paths) {
      one.watcher.watch([at(path)])
      await setImmediate()
    }
    for (const path of paths) put(path, '1')
    await eventually(() => expect(new Set(one.seen)).toEqual(new Set(paths)), { interval: 20 })
    for (const path of paths) await one.noticed(path, () => put(path, '22'))
  })

  it('says once that it watches no more files', async () => {
    const problems: unknown[] = []
    using watcher = createDiskWatcher({ ...optionsFor('polling'), onProblem: (error) => problems.push(error) })
    const paths = Array.from({ length: mostWatched + 1 }, (_, index) => at(`/file-${index}`))
    watcher.watch(paths)
    watcher.watch([at('/another')])
    expect(problems).toMatchObject([{ code: 'TOO_MANY_PATHS' }])
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

const sequencesTried = repeats(200, 10_000)

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
    const watcher = createDiskWatcher(optionsFor('events'))
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
    await eventually(() => expect(missed()).toEqual([]), { interval: 5 })
    watcher[Symbol.dispose]()
    rmSync(root, { recursive: true })
    mkdirSync(root)
  })
  await fc.assert(property, { numRuns: sequencesTried })
})
