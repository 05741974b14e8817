import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createDiskWatcher } from '../../../src/main/adapters/watch/disk-watcher.ts'
import type { VirtualPath } from '../../../src/shared/model/virtual-path.ts'
import { temporaryFolder } from '../support/folders.ts'
import { heldBytes } from '../support/held-bytes.ts'
import { figuresOf, sideBySide, summarise } from '../support/measure.ts'
import { type Row, shortCount, type Unit, versus } from '../support/report.ts'
import { openBareWatches } from './bare-watches.ts'

/** Opens watches of paths below a root, and calls back with each path that may have changed. */
type Open = (root: string, paths: readonly string[], onChange: (path: string) => void) => Disposable

const openCoppice: Open = (root, paths, onChange) => {
  const onProblem = (error: unknown): never => {
    throw error
  }
  const watcher = createDiskWatcher({ rootFolder: root, mode: 'events', onProblem })
  watcher.onChange(onChange)
  watcher.watch(paths as readonly VirtualPath[])
  return watcher
}

const peer = 'one fs.watch a folder'

/** Files that agents touched, in many folders and in one large folder. Coppice looks after all of them and nothing else. */
export async function watchRows(files: number, folders: number): Promise<readonly Row[]> {
  using place = temporaryFolder()
  const paths = Array.from({ length: files }, (_, index) => {
    const folder = index % folders
    return `/group-${folder % 20}/folder-${folder}/file-${index}.ts`
  })
  for (const path of paths) put(place.path, path)
  const name = `${shortCount(files)} files in ${folders} folders`
  const row = async (operation: string, unit: Unit, measure: (open: Open) => Promise<number>): Promise<Row> => {
    const figures = await sideBySide(
      () => measure(openCoppice),
      () => measure(openBareWatches),
    )
    return { operation: `${name}: ${operation}`, unit, coppice: figures.coppice, ...versus(peer, figures.peer) }
  }
  return [
    await row('the call', 'ms', (open) => callTime(open, place.path, paths)),
    await row('from the call until a change made at once is announced', 'ms', (open) =>
      firstChange(open, place.path, paths),
    ),
    await row('a change later', 'ms', (open) => laterChange(open, place.path, paths)),
    await row('all of them changed', 'ms', (open) => burst(open, place.path, paths)),
    await row('memory', 'MB', (open) => memory(open, place.path, paths)),
    ...(process.platform === 'linux'
      ? [await row('watches of the system', 'watches', (open) => systemWatches(open, place.path, paths))]
      : []),
    await pollingRow(place.path, paths, name),
  ]
}

/** Entries that nobody asked about must cost nothing. */
export async function largeFolderRows(entries: number): Promise<readonly Row[]> {
  using place = temporaryFolder()
  for (let entry = 0; entry < entries; entry += 1) put(place.path, `/large/file-${entry}`)
  const { coppice, peer: other } = await sideBySide(
    () => firstChange(openCoppice, place.path, ['/large/file-7']),
    () => firstChange(openBareWatches, place.path, ['/large/file-7']),
  )
  const operation = `one file in a folder of ${shortCount(entries)}: until a change made at once is announced`
  return [{ operation, unit: 'ms', coppice, ...versus(peer, other) }]
}

async function callTime(open: Open, root: string, paths: readonly string[]): Promise<number> {
  const started = performance.now()
  using _ = open(root, paths, () => {})
  const took = performance.now() - started
  await setTimeout(settle)
  return took
}

async function firstChange(open: Open, root: string, paths: readonly string[]): Promise<number> {
  const last = paths.at(-1) ?? ''
  const announced = Promise.withResolvers<void>()
  const started = performance.now()
  using _ = open(root, paths, (path) => path === last && announced.resolve())
  change(root, last)
  await announced.promise
  const took = performance.now() - started
  await setTimeout(settle)
  return took
}

/** The median of fifty changes, one after the other. */
async function laterChange(open: Open, root: string, paths: readonly string[]): Promise<number> {
  let onPath = (_: string): void => {}
  using _ = open(root, paths, (path) => onPath(path))
  await setTimeout(settle)
  const figures = await figuresOf(
    async () => {
      const path = paths[Math.floor(Math.random() * paths.length)] ?? ''
      const announced = Promise.withResolvers<void>()
      onPath = (changed) => changed === path && announced.resolve()
      const started = performance.now()
      change(root, path)
      await announced.promise
      return performance.now() - started
    },
    { runs: 50 },
  )
  return summarise(figures).median
}

async function burst(open: Open, root: string, paths: readonly string[]): Promise<number> {
  const missing = new Set(paths)
  const done = Promise.withResolvers<void>()
  let isChanging = false
  using _ = open(root, paths, (path) => {
    if (isChanging) missing.delete(path)
    if (missing.size === 0) done.resolve()
  })
  await setTimeout(settle)
  isChanging = true
  const started = performance.now()
  for (const path of paths) change(root, path)
  await done.promise
  return performance.now() - started
}

async function memory(open: Open, root: string, paths: readonly string[]): Promise<number> {
  const before = await heldBytes()
  using _ = open(root, paths, () => {})
  await setTimeout(settle)
  return ((await heldBytes()) - before) / 1024 / 1024
}

async function systemWatches(open: Open, root: string, paths: readonly string[]): Promise<number> {
  const before = countWatches()
  using _ = open(root, paths, () => {})
  await setTimeout(settle)
  return countWatches() - before
}

/** The processor time of a watcher that looks at every file once a second, as a share of one core. */
async function pollingRow(root: string, paths: readonly string[], name: string): Promise<Row> {
  using watcher = createDiskWatcher({ rootFolder: root, mode: 'polling', onProblem: () => {} })
  watcher.watch(paths as readonly VirtualPath[])
  await setTimeout(settle)
  const figures = await figuresOf(
    async () => {
      const before = process.cpuUsage()
      await setTimeout(3000)
      const { user, system } = process.cpuUsage(before)
      return ((user + system) / 1000 / 3000) * 100
    },
    { runs: 3 },
  )
  return { operation: `${name}, polled: share of a core`, unit: '%', coppice: summarise(figures) }
}

/** Milliseconds after which everything is watched, or closed, on any machine. */
const settle = 2000

/** The kernel lists the watches of each inotify instance in a line of its own. */
function countWatches(): number {
  const folder = '/proc/self/fdinfo'
  const texts = readdirSync(folder).map((file) => {
    try {
      return readFileSync(join(folder, file), 'utf8')
    } catch {
      return ''
    }
  })
  return texts
    .join('\n')
    .split('\n')
    .filter((line) => line.startsWith('inotify ')).length
}

function put(root: string, path: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true })
  writeFileSync(join(root, path), 'text\n')
}

function change(root: string, path: string): void {
  appendFileSync(join(root, path), '.')
}
