import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs'
import { createPace } from '../../pace.ts'

/** What a process and everything below it takes now. */
export interface TreeUsage {
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
    pids.push(next)
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
 * Memory that only ends with the processes: each shared page counts once, and pages of files on disk not at all. `held` is
 * what `heldMemory` says; what of it is mapped is the same memory. Slower than `measureTree` by far.
 */
export async function exactMemory(pids: readonly number[], held: number): Promise<number> {
  const pace = createPace()
  let own = 0
  let shared = 0
  for (const pid of pids) {
    own += memoryOf(pid, /^(?:Pss_Anon|SwapPss):\s+(\d+) kB/gm, /^(?:RssAnon|VmSwap):\s+(\d+) kB/gm)
    shared += memoryOf(pid, /^Pss_Shmem:\s+(\d+) kB/gm, /^RssShmem:\s+(\d+) kB/gm)
    await pace()
  }
  return own + Math.max(shared, held)
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
  const pace = createPace()
  const files = new Map<string, number>()
  for (const pid of pids) {
    for (const name of namesIn(`/proc/${pid}/fd`)) {
      await pace()
      const place = `/proc/${pid}/fd/${name}`
      if (!linkAt(place).startsWith('/memfd:')) continue
      const { dev, ino, blocks } = statSync(place, { throwIfNoEntry: false }) ?? { dev: 0, ino: 0, blocks: 0 }
      files.set(`${dev} ${ino}`, blocks * bytesOfBlock)
    }
    await pace()
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0)
}

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

/** Fields are counted after the program's name, which may hold anything. Undefined for a process that has ended. */
function usageOf(pid: number) {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === '') return undefined
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15)
  return { ticks: user + system + childUser + childSystem, threads: fields[17] ?? 1, pages: fields[21] ?? 0 }
}

/** A child belongs to the thread that started it. */
function childrenOf(pid: number, threads: number): readonly number[] {
  const tasks = threads > 1 ? namesIn(`/proc/${pid}/task`) : [String(pid)]
  return tasks.flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
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
