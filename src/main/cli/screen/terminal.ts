import { AsyncLocalStorage } from 'node:async_hooks'
import type { ProgramEnd, ShownProgram } from '#host/handover/frames.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { UsageError } from '../arguments.ts'
import type { Output } from './screen.ts'

/** What a verb reads: the keyboard, or what a program sends. */
export interface TerminalInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean
  readonly readableEnded?: boolean
  setRawMode?(on: boolean): unknown
}

/** What a verb writes to. */
export type TerminalOutput = NodeJS.WritableStream & Output

/** Where a verb reads and writes: this process's own terminal, or that of a process that handed its command line over. */
export interface Terminal {
  readonly input: TerminalInput
  /** All that a program or a file sends as the input. Reads it once, and gives the same text again. */
  readAll(): Promise<string>
  readonly output: TerminalOutput
  readonly errors: TerminalOutput
  readonly environment: NodeJS.ProcessEnv
  /** The host of a process that carries the verb out for another one. Null where the verb opens its own. */
  readonly host: Host | null
  /** Runs another command line to its end, for a process that hands one over and for an editor. Absent where none may come. */
  readonly runLine?: (args: readonly string[]) => Promise<number>
  /** Calls back for Ctrl+C, when the verb is asked to end, and when the terminal goes away. */
  onStop(listener: () => void): Disposable
  /** What Ctrl+C does. */
  stop(): void
  /** What happens when the terminal goes away. */
  hangUp(): void
  /** Ends the verb at once. */
  leave(code: number): void
  /** Lets Ctrl+Z stop the process in front, and calls back when it goes on. */
  suspend(onContinue: () => void): void
  /** Runs a program that the person sees, and waits for its end. */
  show(program: ShownProgram): Promise<ProgramEnd>
}

const current = new AsyncLocalStorage<Terminal>()

/** The terminal of the verb that runs. Listeners that are called from elsewhere must ask for it when they are made. */
export function terminal(): Terminal {
  return current.getStore() ?? processTerminal
}

/** Runs a verb at this terminal. */
export function atTerminal<Result>(place: Terminal, run: () => Promise<Result>): Promise<Result> {
  return current.run(place, run)
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** In bytes. Longer than any task, decisions or record of a thread. */
const mostInput = 256 * 1024 * 1024

/** The text of an input to its end. Rejects for one that is too long, as one without an end is. */
export async function readWhole(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of input) {
    pieces.push(Buffer.from(piece))
    bytes += piece.length
    if (bytes > mostInput) throw new UsageError('The standard input holds more than 256 MB.')
  }
  return Buffer.concat(pieces)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
}

/** The terminal of this process, where `runLine` carries out command lines that other processes hand over. */
export function ownTerminal(runLine?: Terminal['runLine']): Terminal {
  let whole: Promise<string> | undefined
  return {
    ...(runLine && { runLine }),
    readAll() {
      whole ??= readWhole(process.stdin)
      return whole
    },
    get input() {
      return process.stdin
    },
    get output() {
      return process.stdout
    },
    get errors() {
      return process.stderr
    },
    environment: process.env,
    host: null,
    onStop(listener) {
      for (const signal of signals) process.on(signal, listener)
      return {
        [Symbol.dispose]() {
          for (const signal of signals) process.off(signal, listener)
        },
      }
    },
    stop: () => void process.kill(process.pid, 'SIGINT'),
    hangUp: () => void process.emit('SIGHUP'),
    leave: (code) => process.exit(code),
    suspend(onContinue) {
      process.once('SIGCONT', onContinue)
      process.kill(process.pid, 'SIGTSTP')
    },
    show: runShown,
  }
}

const processTerminal = ownTerminal()

/** Runs a program with this process's own terminal. */
export async function runShown({ line, input, environment }: ShownProgram): Promise<ProgramEnd> {
  const { spawn } = await import('node:child_process')
  return new Promise((resolve) => {
    const child = spawn(line, {
      shell: true,
      stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
      env: { ...environment, ...process.env },
    })
    child.on('error', (error) => resolve({ why: error.message }))
    child.on('exit', (code, signal) => resolve(code === null ? { why: signal ?? 'no exit code' } : { code }))
    // The person may leave before the end.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
