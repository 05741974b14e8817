import { spawn } from 'node:child_process'
import { SearchError } from '#core/ports/search.ts'
import { appMark, asHelper } from '../system/ends-with-app.ts'
import { ripgrepPath } from '../system/ripgrep-path.ts'

export interface RipgrepRun {
  readonly exitCode: number | null
  readonly errors: string
  /** True when the engine was stopped at its limit of output or time. */
  readonly truncated: boolean
  /** True when it broke down, as it does at its limit of memory. */
  readonly isBroken: boolean
}

/** When a run is stopped. */
interface RunLimits {
  readonly milliseconds?: number
  /** Of output. */
  readonly bytes?: number
}

const outputLimit = 64 * 1024 * 1024
const errorLimit = 64 * 1024
/** Milliseconds. A search of a huge tree, or of a file that has no end, shows what it found by then. */
const timeLimit = 10_000
/** The engine ends with 0 or 1 after a search, with 2 after one with errors. */
const lastExitCode = 2

const missing = `ripgrep for ${process.platform} ${process.arch} is not installed, so nothing can be searched`

/** Runs ripgrep and passes its output on in records that end with `separator`. Kills it when the signal aborts. */
export function runRipgrep(
  args: readonly string[],
  cwd: string,
  separator: number,
  onRecord: (record: Buffer) => void,
  signal: AbortSignal,
  { milliseconds = timeLimit, bytes = outputLimit }: RunLimits = {},
): Promise<RipgrepRun> {
  signal.throwIfAborted()
  const binary = ripgrepPath()
  if (binary === null) return Promise.reject(new SearchError('unavailable', missing))
  return new Promise((resolve, reject) => {
    const [program = binary, ...parameters] = asHelper([binary, ...args])
    const child = spawn(program, parameters, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...appMark() } })
    const stop = () => child.kill('SIGKILL')
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
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= bytes) splitter(chunk)
      else stop()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (errors.length < errorLimit) errors += chunk.toString()
    })
    child.on('error', (error) => {
      end()
      reject(new SearchError('unavailable', `ripgrep could not be started: ${error.message}`))
    })
    child.on('close', (exitCode) => {
      end()
      if (signal.aborted) reject(signal.reason)
      else {
        const truncated = isLate || size > bytes
        resolve({ exitCode, errors, truncated, isBroken: !truncated && (exitCode === null || exitCode > lastExitCode) })
      }
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
