import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { outgoingFetch, reasonOf } from '#adapters/system/outgoing/outgoing.ts'
import { JsonProgramError, type JsonPrograms } from '#core/ports/programs/json-programs.ts'
import { isJsonObject, type JsonObject } from '#shared/base/json.ts'
import { beginningOf, tailOf } from '#shared/text/whole-characters.ts'

export interface JsonProgramsOptions {
  /**
   * The folder that programs start in, made when it is missing. Only the user may write there: `python3 -c "import json"`
   * reads `json.py` of the folder that it starts in.
   */
  readonly workingFolder: string
  /** The project's folder, which every message names as `folder`. Null for a scratch workspace. */
  readonly projectFolder: string | null
  /** The variables that programs get. */
  readonly environment: () => Readonly<Record<string, string>>
}

/** More than this in one line or one answer counts as an error. */
const maxBytes = 10 * 1024 * 1024
/** More questions than this do not wait for one program. */
const maxWaiting = 1_000
const postTimeoutMs = 60 * 60 * 1000
/** Milliseconds to wait for output after a program ended. A process that left the group may hold it open for ever. */
const drainMs = 300

/** Runs each program once, for all its questions, and starts it again after it ended. */
export function createJsonPrograms(options: JsonProgramsOptions): JsonPrograms {
  mkdirSync(options.workingFolder, { recursive: true, mode: 0o700 })
  const known = new Map<string, LineProgram>()
  let isDisposed = false
  return {
    async ask({ command, message, timeoutMs }, signal) {
      signal.throwIfAborted()
      if (isDisposed) throw new JsonProgramError(endedWords)
      const key = JSON.stringify(command)
      const program = known.get(key) ?? createLineProgram(command, options)
      known.set(key, program)
      return program.ask({ ...message, folder: options.projectFolder }, timeoutMs, signal)
    },
    post: (url, message, signal) => post(url, message, signal),
    async [Symbol.asyncDispose]() {
      isDisposed = true
      await Promise.all([...known.values()].map((program) => program.end()))
    },
  }
}

const endedWords = 'It was ended.'

interface LineProgram {
  /** Questions are asked one after the other. An abort drops one question and leaves the process and the others alone. */
  ask(message: JsonObject, timeoutMs: number, signal: AbortSignal): Promise<JsonObject>
  /** Rejects all questions. Resolves when every process has ended. */
  end(): Promise<void>
}

interface Question {
  readonly id: number
  readonly line: string
  readonly timeoutMs: number
  /** Does nothing for a question that was aborted. */
  settle(answer: JsonObject | JsonProgramError): void
}

/** One program with its questions. Its process is started for a question when none is running. */
function createLineProgram(command: readonly string[], options: JsonProgramsOptions): LineProgram {
  const waiting: Question[] = []
  const ending = new Set<Promise<void>>()
  let open: { readonly question: Question; readonly timer: NodeJS.Timeout } | null = null
  let running: LineProcess | null = null
  let lastId = 0

  function settle(answer: JsonObject | JsonProgramError): void {
    clearTimeout(open?.timer)
    open?.question.settle(answer)
    open = null
  }

  /** Fails the open question only. The others are asked on a new process. */
  function fail(reason: string): void {
    running?.kill()
    running = null
    settle(new JsonProgramError(reason))
    askNext()
  }

  function askNext(): void {
    const question = open === null ? waiting.shift() : undefined
    if (!question) return
    const { line, timeoutMs } = question
    const timer = setTimeout(() => fail(`It did not answer within ${timeoutMs} ms.`), timeoutMs)
    open = { question, timer }
    try {
      if (running === null || running.hasExited()) running = start()
      running.write(line)
    } catch (error) {
      fail(startProblem(error))
    }
  }

  function start(): LineProcess {
    const started: LineProcess = startProcess(command, options, {
      onLine: (line) => running === started && takeLine(line),
      onFailure: (reason) => running === started && fail(reason),
    })
    const ended = started.ended.finally(() => ending.delete(ended))
    ending.add(ended)
    return started
  }

  function takeLine(line: string): void {
    const value = readObject(line)
    const { id, ...answer } = value ?? {}
    if (!value) fail(notAnObject(line))
    else if (open !== null && id === open.question.id) {
      settle(answer)
      askNext()
    } else if (id !== undefined || !('event' in answer))
      fail(`It wrote a line without the id of the open question: ${beginningOf(line, 200)}`)
  }

  return {
    ask(message, timeoutMs, signal) {
      if (waiting.length >= maxWaiting)
        return Promise.reject(new JsonProgramError(`${maxWaiting} questions wait for its answers already.`))
      lastId += 1
      const answered = Promise.withResolvers<JsonObject>()
      const question: Question = {
        id: lastId,
        line: JSON.stringify({ ...message, id: lastId }),
        timeoutMs,
        settle: (answer) => (answer instanceof JsonProgramError ? answered.reject(answer) : answered.resolve(answer)),
      }
      const drop = () => {
        const index = waiting.indexOf(question)
        if (index >= 0) waiting.splice(index, 1)
        answered.reject(signal.reason)
      }
      signal.addEventListener('abort', drop, { once: true })
      waiting.push(question)
      askNext()
      return answered.promise.finally(() => signal.removeEventListener('abort', drop))
    },
    async end() {
      for (const question of waiting.splice(0)) question.settle(new JsonProgramError(endedWords))
      fail(endedWords)
      await Promise.all(ending)
    },
  }
}

interface LineProcess {
  /** True from the moment at which it ended. Its last lines may come later. */
  hasExited(): boolean
  write(line: string): void
  /** Ends it and everything that it started. */
  kill(): void
  readonly ended: Promise<void>
}

interface ProcessEvents {
  onLine(line: string): void
  onFailure(reason: string): void
}

/** Starts the process in a group of its own, so that what it starts ends with it. */
function startProcess(
  [program = '', ...args]: readonly string[],
  { workingFolder, environment }: JsonProgramsOptions,
  { onLine, onFailure }: ProcessEvents,
): LineProcess {
  const detached = process.platform !== 'win32'
  const child = spawn(program, args, {
    cwd: workingFolder,
    env: environment(),
    stdio: 'pipe',
    detached,
    windowsHide: true,
  })
  const ended = Promise.withResolvers<void>()
  let state: 'runs' | 'exited' | 'closed' = 'runs'
  let errors = ''
  const kill = () => {
    if (state !== 'closed') killGroup(child)
  }
  child.on('error', (error) => {
    onFailure(startProblem(error))
    if (child.pid === undefined) ended.resolve()
  })
  child.on('exit', () => {
    state = 'exited'
    kill()
    setTimeout(() => {
      child.stdout.destroy()
      child.stderr.destroy()
    }, drainMs).unref()
  })
  child.on('close', (code) => {
    state = 'closed'
    onFailure(`It ended with code ${code ?? 'of a signal'}. ${tailOf(errors.trim(), 500)}`.trim())
    ended.resolve()
  })
  child.stdin.on('error', () => {})
  child.stderr.on('data', (data: Buffer) => {
    errors = tailOf(`${errors}${data.toString()}`, 2_000)
  })
  readLines(child.stdout, onLine, () => onFailure('It wrote a line of more than 10 MB.'))
  return {
    hasExited: () => state !== 'runs',
    write: (line) => void child.stdin.write(`${line}\n`),
    kill,
    ended: ended.promise,
  }
}

function startProblem(error: unknown): string {
  return `It could not be started: ${error instanceof Error ? error.message : String(error)}`
}

function killGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Everything in the group has ended.
  }
}

/** Empty lines are left out. Nothing is kept of a line that is too long. */
function readLines(output: NodeJS.ReadableStream, onLine: (line: string) => void, onTooLong: () => void): void {
  let pieces: Buffer[] = []
  let size = 0
  const finishLine = () => {
    const line = Buffer.concat(pieces).toString()
    pieces = []
    size = 0
    if (line.trim() !== '') onLine(line)
  }
  const keep = (piece: Buffer) => {
    size += piece.length
    if (size <= maxBytes) pieces.push(piece)
    else {
      pieces = []
      onTooLong()
    }
  }
  output.on('data', (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, end))
      finishLine()
      from = end + 1
    }
    keep(chunk.subarray(from))
  })
  output.on('end', finishLine)
}

async function post(url: string, message: JsonObject, signal: AbortSignal): Promise<readonly JsonObject[]> {
  try {
    const response = await outgoingFetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson, application/json' },
      body: JSON.stringify(message),
      signal: AbortSignal.any([signal, AbortSignal.timeout(postTimeoutMs)]),
    })
    const text = await readBounded(response)
    if (!response.ok)
      throw new JsonProgramError(`It answered with status ${response.status}: ${beginningOf(text, 500)}`)
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(parseLine)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof JsonProgramError) throw error
    throw new JsonProgramError(`It cannot be reached: ${reasonOf(error)}`)
  }
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const bytes of response.body ?? []) {
    const piece = bytes as Uint8Array
    size += piece.length
    text += decoder.decode(piece, { stream: true })
    if (size > maxBytes) throw new JsonProgramError('It answered with more than 10 MB.')
  }
  return text
}

function parseLine(line: string): JsonObject {
  const value = readObject(line)
  if (!value) throw new JsonProgramError(notAnObject(line))
  return value
}

function notAnObject(line: string): string {
  return `It wrote a line that is not a JSON object: ${beginningOf(line, 200)}`
}

function readObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
