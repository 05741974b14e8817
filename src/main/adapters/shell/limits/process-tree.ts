import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs'
import { createPace } from '../../pace.ts'

/** What a process and everything below it takes now. */
export interface TreeUsage {
  /** For a process whose first thread has ended, one that goes on: what the kernel tells of the first is empty. */
  readonly pids: readonly number[]
  /** Processes and their threads. */
  readonly threads: number
  /** Also of processes that have ended and were waited for. */
  readonly cpuSeconds: number
  /** Pages that processes share count for each of them, so this may be too much, but never too little. */
  readonly residentBytes: number
}

/** The kernel counts time in these for every program, whatever its own clock is. */
const ticksPerSecond = 100

/**
 * Looks at a process and everything below it. Stops after `most` threads, so that a bomb cannot make it slow. A process
 * that comes or goes meanwhile may be missed. Lets others run in between. Empty where the system has no `/proc`.
 */
export async function measureTree(pid: number, most: number): Promise<TreeUsage> {
  const pace = createPace()
  const pids: number[] = []
  const waiting = [pid]
  const sum = { threads: 0, ticks: 0, pages: 0 }
  for (let next = waiting.pop(); next !== undefined && sum.threads <= most; next = waiting.pop()) {
    const usage = usageOf(next)
    if (!usage) continue
    pids.push(usage.thread)
    sum.threads += usage.threads
    sum.ticks += usage.ticks
    sum.pages += usage.pages
    waiting.push(...childrenOf(next, usage.threads))
    await pace()
  }
  return {
    ...{ pids, threads: sum.threads, cpuSeconds: sum.ticks / ticksPerSecond },
    residentBytes: sum.pages * pageBytes(),
  }
}

/** What may be looked at, at once: this is read while nothing else runs. */
const mostNamed = 200

/** The command lines of everything below a process, the newest part of the tree last. Empty where the system has no `/proc`. */
export function commandLinesBelow(pid: number): readonly string[] {
  const lines: string[] = []
  const waiting = [pid]
  for (let next = waiting.shift(); next !== undefined && lines.length < mostNamed; next = waiting.shift()) {
    waiting.push(...childrenOf(next, usageOf(next)?.threads ?? 1))
    if (next !== pid)
      lines.push(
        Buffer.from(read(`/proc/${next}/cmdline`), 'latin1')
          .toString()
          .replaceAll('\0', ' ')
          .trim(),
      )
  }
  return lines.filter((line) => line !== '')
}

/**
 * Memory that only ends with the processes: each shared page counts once, and pages of files on disk not at all. `grown` is by
 * how much more is in files in memory, of whomever, than before the processes began: they may have as much where nobody can
 * see it. Slower than `measureTree` by far.
 */
export async function exactMemory(pids: readonly number[], grown: number): Promise<number> {
  const pace = createPace()
  let own = 0
  let shared = 0
  for (const pid of pids) {
    own += memoryOf(pid, /^(?:Pss_Anon|SwapPss):\s+(\d+) kB/gm, /^(?:RssAnon|VmSwap):\s+(\d+) kB/gm)
    shared += memoryOf(pid, /^Pss_Shmem:\s+(\d+) kB/gm, /^RssShmem:\s+(\d+) kB/gm)
    await pace()
  }
  // Threads may have descriptors of their own.
  const { bytes, files, isWhole } = await openedMemory(pids.flatMap(threadsOf))
  const unseen = isWhole ? await mappedMemory(pids, files) : Number.POSITIVE_INFINITY
  return own + Math.max(shared, bytes, Math.min(grown, bytes + unseen))
}

function memoryOf(pid: number, shares: RegExp, whole: RegExp): number {
  const found = kilobytesIn(read(`/proc/${pid}/smaps_rollup`), shares)
  return found ?? kilobytesIn(read(`/proc/${pid}/status`), whole) ?? 0
}

/**
 * Memory that belongs to no process: files that are only in memory and have no name (memfd_create(2)), as long as somebody
 * has them open, whether they are mapped or not. Each counts once. What is on its way in a socket is not seen. All descriptors are
 * looked at, because behind many others one holds as much; the limit of open files bounds them.
 */
export async function heldMemory(pids: readonly number[]): Promise<number> {
  return (await openedMemory(pids)).bytes
}

async function openedMemory(pids: readonly number[]) {
  const pace = createPace()
  const files = new Map<string, number>()
  let isWhole = true
  for (const pid of pids) {
    const names = namesIn(`/proc/${pid}/fd`)
    // A program can forbid everyone else of its user to look (PR_SET_DUMPABLE of prctl(2)).
    if (names === null) isWhole &&= !existsSync(`/proc/${pid}`)
    for (const name of names ?? []) {
      await pace()
      const place = `/proc/${pid}/fd/${name}`
      const link = linkAt(place)
      if (!/^\/(?:memfd:|secretmem)/.test(link)) continue
      const { ino, blocks, size } = statSync(place, { throwIfNoEntry: false }) ?? { ino: 0, blocks: 0, size: 0 }
      // The kernel counts no blocks of files that it hides from itself (memfd_secret(2)).
      files.set(`${ino}`, link.startsWith('/secretmem') ? size : blocks * bytesOfBlock)
    }
    await pace()
  }
  return { bytes: [...files.values()].reduce((sum, bytes) => sum + bytes, 0), files, isWhole }
}

/**
 * The most that files in memory can have that are mapped and not in `known`, by their numbers: after madvise(2) their pages belong to
 * nobody. Of a file that is mapped in part, that part.
 */
async function mappedMemory(pids: readonly number[], known: ReadonlyMap<string, number>): Promise<number> {
  const pace = createPace()
  const files = new Map<string, number>()
  for (const pid of pids) {
    const found = new Map<string, number>()
    for (const [, from = '', to = '', file = ''] of read(`/proc/${pid}/maps`).matchAll(mapsInMemory)) {
      if (known.has(file)) continue
      found.set(file, (found.get(file) ?? 0) + Number.parseInt(to, 16) - Number.parseInt(from, 16))
    }
    for (const [file, bytes] of found) files.set(file, Math.max(files.get(file) ?? 0, bytes))
    await pace()
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0)
}

const mapsInMemory = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ (\d+) +\/(?:memfd:|dev\/zero|dev\/shm\/|SYSV|secretmem)/gm

/** Memory in which the kernel keeps where pages are. It grows with what a program only looked at, which is no page of its own. */
export async function pageTables(pids: readonly number[]): Promise<number> {
  const pace = createPace()
  let bytes = 0
  for (const pid of pids) {
    bytes += kilobytesIn(read(`/proc/${pid}/status`), /^VmPTE:\s+(\d+) kB/gm) ?? 0
    await pace()
  }
  return bytes
}

/** As stat(2) counts them, whatever the blocks of the file system are. */
const bytesOfBlock = 512

function linkAt(place: string): string {
  try {
    return readlinkSync(place)
  } catch {
    return ''
  }
}

/** In bytes. Undefined when no line fits, as for a process of somebody else. */
function kilobytesIn(text: string, lines: RegExp): number | undefined {
  const found = [...text.matchAll(lines)].map(([, number]) => Number(number))
  return found.length === 0 ? undefined : found.reduce((sum, one) => sum + one, 0) * 1024
}

/** Undefined for a process that has ended. */
function usageOf(pid: number) {
  const usage = statOf(pid)
  if (usage?.state !== 'Z' || usage.threads <= 1) return usage
  const living = threadsOf(pid)
    .map(statOf)
    .find((other) => other && !'ZX'.includes(other.state))
  return living ?? usage
}

/** Fields are counted after the program's name, which may hold anything. */
function statOf(thread: number) {
  const stat = read(`/proc/${thread}/stat`)
  if (stat === '') return undefined
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(10, 14).map(Number)
  const ticks = user + system + childUser + childSystem
  return { thread, state, ticks, threads: Number(fields[16] ?? 1), pages: Number(fields[20] ?? 0) }
}

function threadsOf(pid: number): readonly number[] {
  return namesIn(`/proc/${pid}/task`)?.map(Number) ?? []
}

/** A child belongs to the thread that started it. */
function childrenOf(pid: number, threads: number): readonly number[] {
  const tasks = threads > 1 ? threadsOf(pid) : [pid]
  return tasks.flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number))
}

/** Null for a folder that cannot be read. */
function namesIn(folder: string): readonly string[] | null {
  try {
    return readdirSync(folder)
  } catch {
    return null
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

let page: number | undefined

/** Not the same on all machines. The first lines of this file say it; the rest of it is long. */
function pageBytes(): number {
  page ??= Number(/^KernelPageSize:\s+(\d+) kB/m.exec(beginningOf('/proc/self/smaps'))?.[1] ?? 4) * 1024
  return page
}

function beginningOf(file: string): string {
  const bytes = Buffer.alloc(1024)
  const descriptor = openSync(file, 'r')
  try {
    return bytes.toString('latin1', 0, readSync(descriptor, bytes))
  } finally {
    closeSync(descriptor)
  }
}
