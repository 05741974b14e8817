import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { ShellError } from '#core/ports/shell.ts'
import { endsWithApp } from '../system/ends-with-app.ts'
import type { CommandLimits, ReachedLimit } from './limits/command-limits.ts'
import { commandLinesBelow } from './limits/process-tree.ts'
import { findRoom, machineMemory, watchLimits } from './limits/watch-limits.ts'
import { limitRate } from './processes/limit-rate.ts'

export interface CommandRun {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly endedBy: 'itself' | 'time' | ReachedLimit
  /** Command lines of all that ran when the time was up. Empty for another end, and where nobody knows. */
  readonly running: readonly string[]
}

export interface CommandOptions {
  readonly program: readonly string[]
  /** True when the program's first child is the first process of a namespace, so that all others end with it. */
  readonly contained: boolean
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Text for standard input; null for none. */
  readonly input: string | null
  /** A file that the program needs open under its own descriptor number. */
  readonly filter: { readonly file: string } | null
  /** A place on the disk that the program may fill. */
  readonly disk: string
  readonly limits: CommandLimits
  readonly onChunk: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
  /** For a program that stays: called with its open standard input, and a pipe that it has as `ordersDescriptor`. */
  readonly onStart?: ((input: Writable, orders: Writable, pid: number) => void) | undefined
}

/** The descriptor of the pipe of orders, in a program that stays. */
export const ordersDescriptor = 4
/** The longest time that a timer can wait, in milliseconds. */
const longestTimer = 2 ** 31 - 1
const graceMs = 300
/** Milliseconds to wait for output after the shell ended. A process that left the group may hold it open for ever. */
const drainMs = 300

/** Runs a program in its own process group and ends the whole group. Rejects with the signal's reason. */
export async function runCommand(options: CommandOptions, signal: AbortSignal): Promise<CommandRun> {
  const [freeBefore, memoryBefore] = [await findRoom(options.disk), machineMemory()]
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const child = start(options)
    let endedBy: CommandRun['endedBy'] = 'itself'
    let running: readonly string[] = []
    let killTimer: NodeJS.Timeout | undefined
    const end = () => {
      signalGroup(child, 'SIGTERM')
      killTimer ??= setTimeout(() => endHard(child, options.contained), graceMs)
    }
    const endFor = (reason: 'time' | ReachedLimit) => {
      if (endedBy === 'itself') endedBy = reason
      end()
      // They would take much more while they may still end by themselves.
      if (reason === 'memory' || reason === 'machine_memory' || reason === 'processes')
        endHard(child, options.contained)
    }
    const endForTime = () => {
      if (child.pid !== undefined) running = commandLinesBelow(child.pid)
      endFor('time')
    }
    const timer = setTimeout(endForTime, Math.min(options.timeoutMs, longestTimer))
    const watched = child.pid !== undefined && { pid: child.pid, disk: options.disk, freeBefore, memoryBefore }
    const limitWatch = watched && watchLimits(watched, options.limits, endFor)
    signal.addEventListener('abort', end, { once: true })
    // A command need not read its input to the end.
    child.stdin?.on('error', () => {})
    if (options.input !== null) child.stdin?.end(options.input)
    giveHold(child, options)
    child.stdout?.on('data', (chunk: Buffer) => options.onChunk('stdout', chunk))
    child.stderr?.on('data', (chunk: Buffer) => options.onChunk('stderr', chunk))
    const clear = () => {
      clearTimeout(timer)
      clearTimeout(killTimer)
      if (limitWatch) limitWatch[Symbol.dispose]()
      signal.removeEventListener('abort', end)
    }
    child.on('error', (error) => {
      clear()
      reject(new ShellError('unavailable', `${options.program[0]} could not be started: ${error.message}`))
    })
    child.on('exit', async (exitCode, endedBySignal) => {
      clear()
      signalGroup(child, 'SIGKILL')
      await whenDrained(child)
      if (signal.aborted) reject(signal.reason)
      else resolve({ exitCode, signal: endedBySignal, endedBy, running: endedBy === 'time' ? running : [] })
    })
  })
}

/** Passes on the pipes of a program that stays. It need not read them. */
function giveHold({ pid, stdin, stdout, stderr, stdio }: ChildProcess, { onStart }: CommandOptions): void {
  const orders = stdio[ordersDescriptor]
  if (!onStart || !stdin || pid === undefined || !(orders instanceof Writable)) return
  orders.on('error', () => {})
  for (const output of [stdout, stderr]) if (output) limitRate(output)
  onStart(stdin, orders, pid)
}

function start({ program, contained, cwd, environment, filter, input, onStart }: CommandOptions): ChildProcess {
  const [file = '', ...parameters] = contained ? program : endsWithApp(program)
  const opened = filter && openSync(filter.file, 'r')
  const held: (number | 'ignore' | 'pipe')[] = onStart ? [opened ?? 'ignore', 'pipe'] : opened === null ? [] : [opened]
  try {
    return spawn(file, parameters, {
      cwd,
      env: environment,
      stdio: [input === null && !onStart ? 'ignore' : 'pipe', 'pipe', 'pipe', ...held],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
  } finally {
    if (opened !== null) closeSync(opened)
  }
}

/**
 * Kills the namespace's first process, not the parent that waits for it. When the parent ends, everything in the
 * namespace has ended.
 */
function endHard(child: ChildProcess, contained: boolean): void {
  const first = contained ? childrenOf(child) : []
  for (const pid of first) process.kill(pid, 'SIGKILL')
  if (first.length === 0) signalGroup(child, 'SIGKILL')
}

function childrenOf({ pid }: ChildProcess): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function whenDrained(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
      resolve()
    }, drainMs)
    child.once('close', () => {
      clearTimeout(giveUp)
      resolve()
    })
  })
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(name)
    else process.kill(-child.pid, name)
  } catch {}
}
