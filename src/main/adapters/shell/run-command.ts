import { type ChildProcess, spawn } from 'node:child_process'
import { ShellError } from '#core/ports/shell.ts'

export interface CommandRun {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
}

export interface CommandOptions {
  readonly program: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly onChunk: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
}

const graceMs = 300
/** How long to wait for output after the shell is gone; a process that left the group may hold it open for ever. */
const drainMs = 300

/** Runs a program in a process group of its own and leaves none of the group behind. Rejects with the reason of the signal. */
export function runCommand(options: CommandOptions, signal: AbortSignal): Promise<CommandRun> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const [file = '', ...parameters] = options.program
    const child = spawn(file, parameters, {
      cwd: options.cwd,
      env: options.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    let timedOut = false
    let killTimer: NodeJS.Timeout | undefined
    const end = () => {
      signalGroup(child, 'SIGTERM')
      killTimer ??= setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs)
    }
    const timer = setTimeout(() => {
      timedOut = true
      end()
    }, options.timeoutMs)
    signal.addEventListener('abort', end, { once: true })
    child.stdout.on('data', (chunk: Buffer) => options.onChunk('stdout', chunk))
    child.stderr.on('data', (chunk: Buffer) => options.onChunk('stderr', chunk))
    const clear = () => {
      clearTimeout(timer)
      clearTimeout(killTimer)
      signal.removeEventListener('abort', end)
    }
    child.on('error', (error) => {
      clear()
      reject(new ShellError('unavailable', `${file} could not be started: ${error.message}`))
    })
    child.on('exit', async (exitCode, endedBy) => {
      clear()
      signalGroup(child, 'SIGKILL')
      await drained(child)
      if (signal.aborted) reject(signal.reason)
      else resolve({ exitCode, signal: endedBy, timedOut })
    })
  })
}

function drained(child: ChildProcess): Promise<void> {
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
