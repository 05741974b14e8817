import { readFileSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { CommandLimits, DiskLimit, ReachedLimit } from './command-limits.ts'
import { exactMemory, heldMemory, measureTree, pageTables } from './process-tree.ts'

const diskWatchMs = 250
const treeWatchMs = 100
/** A look may take one part in so many of the time, unless the next one would come too late. */
const shareOfTime = 20
const longestPauseMs = 1_000

export interface Watched {
  /** The process that everything else is below. */
  readonly pid: number
  /** A place on the disk that it may fill, and what was free there before it began. */
  readonly disk: string
  readonly freeBefore: FreeRoom
  /** What the machine had before it began. */
  readonly memoryBefore: MachineMemory
}

/**
 * Calls `onReached` when the process and everything below it took more than they may. It may be called again while they
 * are being ended. The kernel, too, ends them before anybody else when the machine has no memory left.
 */
export function watchLimits(
  { pid, disk, freeBefore, memoryBefore }: Watched,
  limits: CommandLimits,
  onReached: (limit: ReachedLimit) => void,
): Disposable {
  const diskWatch = setInterval(async () => {
    if (fills(limits.disk, freeBefore, await findRoom(disk))) onReached('disk')
  }, diskWatchMs)
  let treeWatch: NodeJS.Timeout | undefined
  let nextExactAt = 0
  let watching = true
  const look = async () => {
    const began = performance.now()
    const memory = machineMemory()
    if (memory.left < Math.min(memoryBefore.left / 2, limits.memoryLeft)) onReached('machine_memory')
    const { pids, threads, cpuSeconds, residentBytes } = await measureTree(pid, limits.processes)
    if (!watching) return
    if (threads >= limits.processes) onReached('processes')
    else if (cpuSeconds > limits.cpuSeconds) onReached('cpu')
    else if (began >= nextExactAt) {
      const held = await heldMemory(pids)
      const most = limits.memoryBytes - (await pageTables(pids))
      if (residentBytes + Math.max(held, memory.inFiles) > most) {
        const grown = Math.max(0, memory.inFiles - memoryBefore.inFiles)
        if ((await exactMemory(pids, grown)) > most) onReached('memory')
        else nextExactAt = performance.now() + shareOfTime * (performance.now() - began)
      }
    }
    const pause = Math.max(treeWatchMs, shareOfTime * (performance.now() - began))
    if (watching) treeWatch = setTimeout(look, Math.min(pause, longestPauseMs))
  }
  if (process.platform === 'linux') {
    giveUpFirst(pid)
    treeWatch = setTimeout(look, treeWatchMs)
  }
  return {
    [Symbol.dispose]() {
      watching = false
      clearInterval(diskWatch)
      clearTimeout(treeWatch)
    },
  }
}

/** What it starts inherits this. The app and its window must go on when memory runs out. */
function giveUpFirst(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // It has ended, or the system forbids it.
  }
}

/** In bytes. */
export interface MachineMemory {
  /** What programs can have without others giving up theirs. Infinite where the kernel does not say. */
  readonly left: number
  /** What files have that are only in memory, and what programs share. Zero where the kernel does not say. */
  readonly inFiles: number
}

export function machineMemory(): MachineMemory {
  const text = textOf('/proc/meminfo')
  const bytesOf = (name: string): number | undefined => {
    const kilobytes = new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  }
  return { left: bytesOf('MemAvailable') ?? Number.POSITIVE_INFINITY, inFiles: bytesOf('Shmem') ?? 0 }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** What is free on a disk. A disk that does not count its files has room for infinitely many. */
export interface FreeRoom {
  readonly bytes: number
  readonly files: number
}

function fills({ free, taken, files }: DiskLimit, before: FreeRoom, now: FreeRoom): boolean {
  return (
    now.bytes < Math.min(before.bytes / 2, free) ||
    before.bytes - now.bytes > taken ||
    now.files < Math.min(before.files / 2, fewestFiles) ||
    before.files - now.files > files
  )
}

/** Files that everybody else must be able to make, whatever a command did. */
const fewestFiles = 20_000

/** Infinite when the place is gone, for example removed by a command, because then the limit cannot be checked. */
export async function findRoom(place: string): Promise<FreeRoom> {
  const infinite = Number.POSITIVE_INFINITY
  return statfs(place).then(
    ({ bavail, bsize, files, ffree }) => ({ bytes: bavail * bsize, files: files > 0 ? ffree : infinite }),
    () => ({ bytes: infinite, files: infinite }),
  )
}
