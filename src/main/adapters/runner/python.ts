import { MontyError, MontyRepl, MontyRuntimeError, MontySyntaxError, MountDir } from '@pydantic/monty'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { Engine, EngineHost } from './engine.ts'
import type { EngineOutcome, Limit, PythonChildRun } from './protocol.ts'
import { declareNames, openPythonSession, type PythonSession } from './python-session.ts'
import { awaitedIn, forgetRounds, prepareWaiting } from './python-waiting.ts'

/** Bytes that one run may write to each folder. */
const writtenBytesLimit = 128 * 1024 * 1024
const errorCharacters = 10_000

/**
 * Runs Python in monty over the folder of a mount, which it sees as `/`. It blocks the process until it ends. The code
 * prints straight to the standard output, and the parent watches output, time and memory from outside.
 */
export const runPython: Engine = (run, host) => {
  if (run.language !== 'python') throw new Error(`Monty does not run ${run.language}.`)
  const session = openPythonSession(run.state, run.limits.memoryMb)
  const outcome = { ...execute(session, run, host), stateLost: session.stateLost }
  // A line that has not ended waits in a buffer of the native module, which all its interpreters share.
  new MontyRepl().feed(`print(${JSON.stringify(run.endOfOutput)})`)
  return { finished: Promise.resolve(outcome), deliver: () => undefined, packState: () => ({ state: session.pack() }) }
}

function execute({ repl }: PythonSession, run: PythonChildRun, host: EngineHost): EngineOutcome {
  const { outputBytes } = run.limits
  try {
    prepareNames(repl, run.code)
    prepareWaiting(repl, run)
    const json = pythonJson(repl.feed(run.code, { mount: mountsOf(run) }))
    forgetRounds(repl, run)
    if (json.length > outputBytes) host.limit('output')
    return { ok: true, json: json.length > outputBytes ? 'null' : json, error: null, declared: [] }
  } catch (error) {
    const awaits = awaitedIn(repl, run)
    if (awaits) return { ok: false, json: 'null', error: null, declared: [], awaits }
    forgetRounds(repl, run)
    const limit = passedLimit(error)
    if (limit) host.limit(limit)
    return { ok: false, json: 'null', error: describe(error, run.scriptName ?? 'code.py'), declared: [] }
  }
}

/** The longest path decides, so the places lie over the project. */
function mountsOf({ folder, places }: PythonChildRun): MountDir[] {
  const all = [{ path: '/', folder, writable: true }, ...places]
  return all.map(({ path, folder: own, writable }) =>
    writable
      ? new MountDir(path, own, { mode: 'read-write', writeBytesLimit: writtenBytesLimit })
      : new MountDir(path, own, { mode: 'read-only' }),
  )
}

/** Code that cannot be read is reported by its own run. */
function prepareNames(repl: MontyRepl, code: string): void {
  try {
    declareNames(repl, code)
  } catch (error) {
    if (!(error instanceof MontySyntaxError)) throw error
  }
}

/** Monty reports its own limits by the exception's type and message. Code cannot catch them. */
function passedLimit(error: unknown): Limit | undefined {
  if (!(error instanceof MontyError)) return undefined
  const { typeName, message } = error.exception
  if (typeName === 'MemoryError' && message.startsWith('memory limit exceeded')) return 'memory'
  return undefined
}

function describe(error: unknown, scriptName: string): string {
  const text =
    error instanceof MontyRuntimeError
      ? error.display('traceback')
      : error instanceof MontyError
        ? error.display('type-msg')
        : String(error)
  return beginningOf(withHint(withScriptNames(asNameError(text), scriptName)), errorCharacters)
}

/** Monty numbers the pieces of a session. The highest number is this run; the others are earlier calls. */
function withScriptNames(text: string, scriptName: string): string {
  const pattern = /File "<python-input-(\d+)>"/g
  const last = Math.max(...[...text.matchAll(pattern)].map(([, number]) => Number(number)))
  return text.replace(pattern, (_, number) => `File "${Number(number) === last ? scriptName : 'an earlier call'}"`)
}

const importHint =
  'Monty has few modules and cannot import files. To use the functions of another script, run it first with run_python_file: what it defines stays for later calls. Read data with pathlib.Path.'

function withHint(text: string): string {
  return /\n(ModuleNotFound|Import)Error: [^\n]*$/.test(text) ? `${text}\n${importHint}` : text
}

/**
 * Monty reports a call of an unknown name as a missing host function. There are none here, so it becomes a `NameError`.
 */
function asNameError(text: string): string {
  return text.replace(/\w*Error: External function '(\w+)' called.*/, "NameError: name '$1' is not defined")
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
