import { Monty, MontyError, MontyRuntimeError, MountDir } from '@pydantic/monty'
import type { Engine, EngineHost } from './engine.ts'
import { type ChildRun, type EngineOutcome, type Limit, outputExitCode } from './protocol.ts'

type PythonRun = Extract<ChildRun, { language: 'python' }>

/** Bytes that one run may write to its mount. */
const writtenBytesLimit = 128 * 1024 * 1024
const errorCharacters = 10_000

/**
 * Runs Python in monty over the folder of a mount, which it sees as `/`. It blocks the process until it ends. Output is
 * sent at once, and the parent watches time and memory from outside.
 */
export const runPython: Engine = (run, host) => {
  if (run.language !== 'python') throw new Error(`Monty does not run ${run.language}.`)
  return { finished: Promise.resolve(execute(run, host)), deliver: () => undefined }
}

function execute(run: PythonRun, host: EngineHost): EngineOutcome {
  const { timeoutMs, memoryMb, outputBytes } = run.limits
  try {
    const value = new Monty(run.code, { scriptName: 'code.py' }).run({
      limits: { maxDurationSecs: timeoutMs / 1000, maxMemory: memoryMb * 1024 * 1024, maxRecursionDepth: 500 },
      mount: new MountDir('/', run.folder, { mode: 'read-write', writeBytesLimit: writtenBytesLimit }),
      printCallback: boundedPrint(host, outputBytes),
    })
    const json = pythonJson(value)
    if (json.length > outputBytes) host.limit('output')
    return { ok: true, json: json.length > outputBytes ? 'null' : json, error: null, declared: [] }
  } catch (error) {
    const limit = passedLimit(error)
    if (limit) host.limit(limit)
    return { ok: false, json: 'null', error: describe(error), declared: [] }
  }
}

function boundedPrint(host: EngineHost, outputBytes: number): (stream: string, text: string) => void {
  let written = 0
  return (stream, text) => {
    const room = outputBytes - written
    written += text.length
    if (room > 0) host.log(stream === 'stderr' ? 'stderr' : 'stdout', text.slice(0, room))
    if (written <= outputBytes) return
    host.limit('output')
    // Code that catches an error would go on, and the limit message could not be sent while it runs. The exit code says
    // why it ended.
    process.exit(outputExitCode)
  }
}

/** Monty reports its own limits by the exception's type and message. Code cannot catch them. */
function passedLimit(error: unknown): Limit | undefined {
  if (!(error instanceof MontyError)) return undefined
  const { typeName, message } = error.exception
  if (typeName === 'TimeoutError' && message.startsWith('time limit exceeded')) return 'time'
  if (typeName === 'MemoryError' && message.startsWith('memory limit exceeded')) return 'memory'
  return undefined
}

function describe(error: unknown): string {
  const text =
    error instanceof MontyRuntimeError
      ? error.display('traceback')
      : error instanceof MontyError
        ? error.display('type-msg')
        : asNameError(String(error))
  return text.slice(0, errorCharacters)
}

/**
 * Monty reports a call of an unknown name as a missing host function. There are none here, so it becomes a `NameError`.
 */
function asNameError(text: string): string {
  const name = /External function '(\w+)' called/.exec(text)?.[1]
  return name === undefined ? text : `NameError: name '${name}' is not defined`
}

const depthLimit = 100

/** A monty value as JSON. Tuples and sets become lists, keys become strings, and other values their text. */
function pythonJson(value: unknown): string {
  return JSON.stringify(plain(value, 0))
}

function plain(value: unknown, depth: number): unknown {
  if (depth > depthLimit) return '…'
  if (value === null || value === undefined) return null
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object') return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1))
  if (value instanceof Set) return [...value].map((item) => plain(item, depth + 1))
  return Object.fromEntries(entriesOf(value).map(([key, item]) => [keyText(key), plain(item, depth + 1)]))
}

function entriesOf(value: object): [unknown, unknown][] {
  if (value instanceof Map) return [...value]
  return Object.entries(value).filter(([key]) => key !== '__monty_type__')
}

function keyText(key: unknown): string {
  return typeof key === 'object' && key !== null ? pythonJson(key) : String(key)
}
