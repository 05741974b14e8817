import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
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
 * Memory that only ends with the processes: each shared page counts once, and pages of files on disk not at all. Slower
 * than `measureTree` by far.
 */
export async function exactMemory(pids: readonly number[]): Promise<number> {
  const pace = createPace()
  let bytes = 0
  for (const pid of pids) {
    bytes += memoryOf(pid)
    await pace()
  }
  return bytes
}

function memoryOf(pid: number): number {
  const shares = kilobytesIn(read(`/proc/${pid}/smaps_rollup`), /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB/gm)
  return shares ?? kilobytesIn(read(`/proc/${pid}/status`), /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB/gm) ?? 0
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
