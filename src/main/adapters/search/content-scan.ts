import { closeSync, lstatSync, readSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { ScanOutcome, ScanQuery } from '#core/ports/search.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { runRipgrep } from './ripgrep-process.ts'
import { openSearchFile, openSearchPlace, type SearchRoot } from './search-folder.ts'

export interface ContentScanOptions {
  readonly root: SearchRoot
  /** Every file of the base, sorted. */
  readonly listFiles: () => Promise<readonly VirtualPath[]>
  readonly limits?: Partial<ScanLimits>
}

/** In milliseconds. */
interface ScanLimits {
  /** For one run of the engine. */
  readonly engine: number
  /** For reading what a stopped engine left. The rest is reported as unsearched. */
  readonly reading: number
  /** A quicker look at the project is repeated for each scan. */
  readonly quickLook: number
  /**
   * A file that changed less than this before the scan may change again without a trace in its times. Some disks count
   * in steps of two seconds.
   */
  readonly settling: number
}

const usualLimits: ScanLimits = { engine: 60_000, reading: 30_000, quickLook: 25, settling: 3_000 }

/** How long the last look counts in a large project: so many times what it took, and at most this. */
const restFactor = 50
const longestRestMs = 10_000

/** Larger files are read here: only their start counts, and the engine would read them whole. */
const largeFile = 16 * 1024 * 1024
/** With more new files than this, one run over the whole project is quicker than naming them. */
const mostNamed = 500
/** Bytes of all names on one command line. */
const mostNameBytes = 60_000
/** What is known of a file in one of its states. */
interface Judgement {
  readonly state: string
  readonly holds: boolean
}

/**
 * Finds files by what they hold. It remembers its judgements, and looks again only at files whose size, node or times
 * have changed. All queries must mean the same.
 */
export function createContentScan({ root, listFiles, limits }: ContentScanOptions) {
  const { engine, reading, quickLook, settling } = { ...usualLimits, ...limits }
  let known = new Map<VirtualPath, Judgement>()
  let last: { readonly until: number; readonly outcome: ScanOutcome } | undefined
  let running: Promise<ScanOutcome> | undefined

  async function scan(query: ScanQuery): Promise<ScanOutcome> {
    const start = performance.now()
    if (last && start < last.until) return last.outcome
    const settled = Date.now() - settling
    const all = await listFiles()
    const folders = query.skippedFolders.map((name) => `/${name}/`)
    const searched = all.filter((path) => !folders.some((folder) => path.includes(folder)))
    const states = await readStates(root, searched)
    const took = performance.now() - start
    const fresh = [...states].filter(([path, { state }]) => known.get(path)?.state !== state)
    const judged = await judge(query, fresh)
    const now = new Map<VirtualPath, Judgement>()
    const found: VirtualPath[] = []
    const unsearched: VirtualPath[] = []
    for (const [path, { state, changed }] of states) {
      const before = known.get(path)
      const holds = before?.state === state ? before.holds : judged.get(path)
      if (holds === undefined) unsearched.push(path)
      if (holds) found.push(path)
      if (holds !== undefined && changed < settled) now.set(path, { state, holds })
    }
    known = now
    const outcome = { all, found, unsearched }
    last =
      took > quickLook ? { until: performance.now() + Math.min(longestRestMs, took * restFactor), outcome } : undefined
    return outcome
  }

  /** Files that it has no time for, or that cannot be read now, are missing from the answer. */
  async function judge(query: ScanQuery, files: readonly (readonly [VirtualPath, FileState])[]) {
    const judged = new Map<VirtualPath, boolean>()
    const small = files.filter(([, { size }]) => size <= largeFile).map(([path]) => path)
    const large = files.filter(([, { size }]) => size > largeFile).map(([path]) => path)
    const matching = await findMatching(root, query, small, engine)
    const doubtful = matching === undefined ? small : small.filter((path) => matching.has(path))
    if (matching !== undefined) for (const path of small) if (!matching.has(path)) judged.set(path, false)
    const pace = createPace()
    const end = performance.now() + reading
    for (const path of [...doubtful, ...large]) {
      if (performance.now() >= end) break
      try {
        const bytes = readStart(root, path, query.startBytes)
        judged.set(path, bytes !== undefined && query.holds(path, bytes))
      } catch {
        // The system fails to read it now. Nobody knows what it holds, so it counts as unsearched.
      }
      await pace()
    }
    return judged
  }

  return (query: ScanQuery): Promise<ScanOutcome> => {
    running ??= scan(query).finally(() => {
      running = undefined
    })
    return running
  }
}

interface FileState {
  readonly state: string
  /** When the file or what the system knows of it changed, in milliseconds. */
  readonly changed: number
  readonly size: number
}

async function readStates(root: SearchRoot, paths: readonly VirtualPath[]): Promise<Map<VirtualPath, FileState>> {
  const pace = createPace()
  const states = new Map<VirtualPath, FileState>()
  for (const path of paths) {
    const stats = look(join(root.folder, path))
    if (stats?.isFile()) {
      const { dev, ino, size, mtimeMs, ctimeMs } = stats
      states.set(path, {
        state: `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`,
        changed: Math.max(mtimeMs, ctimeMs),
        size,
      })
    }
    const turn = pace()
    if (turn) await turn
  }
  return states
}

/** Undefined for a file that is gone, or that nobody may reach. */
function look(location: string): Stats | undefined {
  try {
    return lstatSync(location, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const separator = 0
const engineArgs = [
  ...['--no-config', '--no-ignore', '--hidden', '--case-sensitive', '--files-with-matches', '--null'],
  // A NUL ends a line, so that a key in a binary file begins one. Mapped files would be read otherwise.
  ...['--binary', '--no-mmap', '--max-filesize', String(largeFile)],
]

/**
 * The names of files whose text matches. Undefined when the engine did not look at all that it can open. May contain
 * other files than those.
 */
async function findMatching(
  root: SearchRoot,
  { pattern, skippedFolders }: ScanQuery,
  files: readonly VirtualPath[],
  milliseconds: number,
): Promise<ReadonlySet<string> | undefined> {
  if (files.length === 0) return new Set()
  // An engine that is quicker than its timer would have looked all the same.
  if (milliseconds <= 0) return undefined
  using place = openSearchPlace(root, rootPath)
  if (!place) return undefined
  const named = files.slice(0, mostNamed + 1).map((path) => `.${path}`)
  const isNamed = named.length <= mostNamed && Buffer.byteLength(named.join(' ')) <= mostNameBytes
  const where = isNamed ? ['--', ...named] : [...skippedFolders.flatMap((name) => ['--glob', `!${name}/`]), '--', './']
  const matching = new Set<string>()
  const accept = (record: Buffer) => {
    const name = record.toString().slice(1)
    matching.add(process.platform === 'win32' ? name.replaceAll('\\', '/') : name)
  }
  const { signal } = new AbortController()
  const args = [...engineArgs, '-e', pattern, ...where]
  const run = await runRipgrep(args, place.cwd, separator, accept, signal, { milliseconds })
  return run.exitCode === null || run.truncated || !isComplete(run.errors) ? undefined : matching
}

/** True when all that went wrong is that files are gone or closed to this user. */
function isComplete(errors: string): boolean {
  return errors.split('\n').every((line) => line === '' || /\(os error (1|2|13)\)$/.test(line))
}

/** Undefined for a file that is gone, a link, or closed: no program reads it either. */
function readStart(root: SearchRoot, path: VirtualPath, length: number): Uint8Array | undefined {
  const file = openSearchFile(root, path)
  if (file === undefined) return undefined
  const { descriptor, size } = file
  try {
    const bytes = Buffer.allocUnsafe(Math.min(length, size))
    let done = 0
    for (let count = -1; done < bytes.length && count !== 0; done += count) {
      count = readSync(descriptor, bytes, done, bytes.length - done, done)
    }
    return bytes.subarray(0, done)
  } finally {
    closeSync(descriptor)
  }
}
