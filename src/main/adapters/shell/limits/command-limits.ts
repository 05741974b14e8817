import { readFileSync } from 'node:fs'
import { release, totalmem } from 'node:os'
import { afterSteps, canEnter } from '../../system/steps.ts'

/** What one command may take, together with everything that it starts. */
export interface CommandLimits {
  readonly memoryBytes: number
  /**
   * In bytes: what the machine must have left for everyone else. Other programs count as well, because the kernel holds memory
   * that belongs to no process: what is queued in sockets, on its way between programs, or in segments and queues of System V.
   */
  readonly memoryLeft: number
  /** Processes and their threads at one time. */
  readonly processes: number
  /** Of each process. */
  readonly openFiles: number
  /** Processor time of all processes together, on all cores. */
  readonly cpuSeconds: number
  readonly disk: DiskLimit
}

/** In bytes. Writes of other programs count as well, because the system does not tell them apart. */
export interface DiskLimit {
  readonly taken: number
  /** What must stay free for everyone else. */
  readonly free: number
  /** How many files it may add. Not in bytes. */
  readonly files: number
}

/** A limit whose end a command reached, so that it was ended. */
export type ReachedLimit = 'memory' | 'machine_memory' | 'processes' | 'cpu' | 'disk'

const megabyte = 1024 ** 2

/** For whoever sets nothing: most of the memory, but never all of it. */
export const defaultLimits: CommandLimits = {
  memoryBytes: Math.min(Math.floor((totalmem() * 0.6) / megabyte), 8 * 1024) * megabyte,
  memoryLeft: 512 * megabyte,
  processes: 4096,
  openFiles: 16_384,
  cpuSeconds: 6 * 60 * 60,
  disk: { taken: 20 * 1024 * megabyte, free: 512 * megabyte, files: 3_000_000 },
}

/** A sentence for a person and an agent, without its full stop. */
export function limitText(reached: ReachedLimit, limits: CommandLimits): string {
  switch (reached) {
    case 'memory':
      return `It used more than ${sizeText(limits.memoryBytes)} of memory (sandbox.limits.memory_mb)`
    case 'machine_memory':
      return `The machine had less than ${sizeText(limits.memoryLeft)} of memory left, which commands may not take`
    case 'processes':
      return `It had ${limits.processes} processes and threads at once (sandbox.limits.processes)`
    case 'cpu':
      return `It used more than ${limits.cpuSeconds} seconds of processor time (sandbox.limits.cpu_seconds)`
    case 'disk':
      return `It filled the disk: it wrote more than ${sizeText(limits.disk.taken)} (sandbox.limits.disk_mb), left less than ${sizeText(limits.disk.free)} free, or made ${limits.disk.files} files`
  }
}

/** A sentence without its full stop for lines that say so; empty when none does. The command goes on, because programs can live with it. */
export function openFilesText(lines: string, { openFiles }: CommandLimits): string {
  return /Too many open files|\bEMFILE\b/.test(lines)
    ? `One of its programs could not have more than ${Math.min(openFiles, mostOpenFiles())} files open at once (sandbox.limits.open_files)`
    : ''
}

/** What holds commands to these limits on this system. */
export function describeLimits(limits: CommandLimits): {
  readonly state: 'ok' | 'optional'
  readonly detail: string
} {
  const { memoryBytes, processes, cpuSeconds, disk } = limits
  if (process.platform !== 'linux')
    return {
      state: 'optional',
      detail: `commands are held to their time and to ${sizeText(disk.taken)} of disk alone, because processes cannot be measured on ${process.platform}`,
    }
  const each = `${sizeText(memoryBytes)} of memory, ${processes} processes, ${cpuSeconds} seconds of processor time and ${sizeText(disk.taken)} of disk`
  return {
    state: 'ok',
    detail: `a command may take ${each} (sandbox.limits). Coppice measures its processes ten times a second; the kernel counts open files${countsUsersPerNamespace(release()) ? ' and processes' : ''}. Your own terminals have no limits.`,
  }
}

function sizeText(bytes: number): string {
  return bytes >= 1024 * megabyte ? `${Number((bytes / 1024 / megabyte).toFixed(1))} GB` : `${bytes / megabyte} MB`
}

/**
 * A command line whose program the kernel holds to what it can count: open files of each process, and processes where
 * `hasOwnUsers` says that the program has a namespace of users for itself. Elsewhere the kernel would count everything
 * that the person runs.
 */
export function withinLimits(
  program: readonly string[],
  { openFiles, processes }: CommandLimits,
  hasOwnUsers: boolean,
): readonly string[] {
  if (!canEnter()) return program
  const counted = hasOwnUsers && countsUsersPerNamespace(release())
  return afterSteps(
    [
      ['limit', 'open-files', `${Math.min(openFiles, mostOpenFiles())}`],
      ['limit', 'core-bytes', '0'],
      ...(counted ? [['limit', 'processes', `${processes}`] as const] : []),
    ],
    program,
  )
}

let most: number | undefined

/** What the system lets this process raise it to. Infinite when it does not say. */
function mostOpenFiles(): number {
  most ??= Number(/^Max open files\s+\S+\s+(\d+)/m.exec(textOf('/proc/self/limits'))?.[1] ?? Number.POSITIVE_INFINITY)
  return most
}

/** Since Linux 5.14. */
function countsUsersPerNamespace(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
