import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { rgPath } from '@vscode/ripgrep'
import { SearchError } from '#core/ports/search.ts'

export interface RipgrepRun {
  readonly exitCode: number | null
  readonly errors: string
  /** True when the engine was stopped at its limit of output or time. */
  readonly truncated: boolean
}

const outputLimit = 64 * 1024 * 1024
const errorLimit = 64 * 1024
/** Milliseconds. A search of a huge tree shows what it found by then. */
const timeLimit = 60_000

/** In a packaged app the binary lies beside the archive, not in it. */
const binary = rgPath.replace(/\bapp\.asar\b/, 'app.asar.unpacked')

/**
 * Starts ripgrep, and a reader of a pipe that only this process holds open. Its end ends ripgrep, also when this process
 * was killed and could do nothing.
 */
const tied = `"$0" "$@" 3<&- &
engine=$!
{ read -r _ <&3; kill -9 $engine; } >/dev/null 2>&1 &
reader=$!
exec 3<&-
wait $engine
code=$?
kill -9 $reader 2>/dev/null
exit $code`

interface Started {
  readonly child: ChildProcess
  /** Ends the engine at once. */
  stop(): void
}

function start(args: readonly string[], cwd: string): Started {
  if (process.platform === 'win32') {
    const child = spawn(binary, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: {} })
    return { child, stop: () => void child.kill('SIGKILL') }
  }
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'pipe']
  const child = spawn('/bin/sh', ['-c', tied, binary, ...args], { cwd, env: {}, detached: true, stdio })
  return { child, stop: () => killGroup(child.pid) }
}

/** The group exists as long as one of its processes does, and its number is not given to another before that. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Runs ripgrep and passes its output on in records that end with `separator`. Kills it when the signal aborts. */
export function runRipgrep(
  args: readonly string[],
  cwd: string,
  separator: number,
  onRecord: (record: Buffer) => void,
  signal: AbortSignal,
  milliseconds = timeLimit,
): Promise<RipgrepRun> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const { child, stop } = start(args, cwd)
    const splitter = createSplitter(separator, onRecord)
    let errors = ''
    let size = 0
    let isLate = false
    signal.addEventListener('abort', stop, { once: true })
    const timer = setTimeout(() => {
      isLate = true
      stop()
    }, milliseconds)
    const end = () => {
      signal.removeEventListener('abort', stop)
      clearTimeout(timer)
    }
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= outputLimit) splitter(chunk)
      else stop()
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      if (errors.length < errorLimit) errors += chunk.toString()
    })
    child.on('error', (error) => {
      end()
      reject(new SearchError('unavailable', `ripgrep could not be started: ${error.message}`))
    })
    child.on('close', (exitCode) => {
      end()
      if (signal.aborted) reject(signal.reason)
      else resolve({ exitCode, errors, truncated: isLate || size > outputLimit })
    })
  })
}

function createSplitter(separator: number, onRecord: (record: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer[] = []
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(separator); end >= 0; end = chunk.indexOf(separator, start)) {
      const piece = chunk.subarray(start, end)
      onRecord(rest.length > 0 ? Buffer.concat([...rest, piece]) : piece)
      rest = []
      start = end + 1
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
  }
}
