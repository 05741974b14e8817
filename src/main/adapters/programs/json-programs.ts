import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { JsonProgramError, type JsonPrograms } from '#core/ports/json-programs.ts'
import { isJsonObject, type JsonObject } from '#shared/base/json.ts'

export interface JsonProgramsOptions {
  /** The folder that programs start in. */
  readonly workingFolder: string
  /** The variables that programs get. */
  readonly environment: Readonly<Record<string, string>>
}

/** More than this in one line or one answer counts as an error. */
const maxCharacters = 10 * 1024 * 1024
const postTimeoutMs = 60 * 60 * 1000

/** Runs each program once, for all its questions, and starts it again after it ended. */
export function createJsonPrograms(options: JsonProgramsOptions): JsonPrograms {
  const running = new Map<string, LineProgram>()
  return {
    async ask({ command, message, timeoutMs }, signal) {
      signal.throwIfAborted()
      const key = JSON.stringify(command)
      const known = running.get(key)
      const program = known && !known.hasEnded() ? known : startProgram(command, options)
      running.set(key, program)
      return parseLine(await program.ask(JSON.stringify(message), timeoutMs, signal))
    },
    post: (url, message, signal) => post(url, message, signal),
    async [Symbol.asyncDispose]() {
      for (const program of running.values()) program.end()
      running.clear()
    },
  }
}

interface LineProgram {
  hasEnded(): boolean
  end(): void
  /** Questions are asked one after the other. A late or missing answer ends the program. */
  ask(line: string, timeoutMs: number, signal: AbortSignal): Promise<string>
}

function startProgram([program = '', ...args]: readonly string[], options: JsonProgramsOptions): LineProgram {
  const child = spawn(program, args, { cwd: options.workingFolder, env: options.environment, stdio: 'pipe' })
  const lines: string[] = []
  let waiting: { resolve(line: string): void; reject(error: Error): void } | null = null
  let failure: JsonProgramError | null = null
  let turn: Promise<unknown> = Promise.resolve()
  const fail = (reason: string): void => {
    failure ??= new JsonProgramError(reason)
    waiting?.reject(failure)
    waiting = null
    child.kill('SIGKILL')
  }
  followOutput(child, fail, (line) => {
    if (waiting === null) lines.push(line)
    else waiting.resolve(line)
    waiting = null
  })
  const next = (timeoutMs: number, signal: AbortSignal): Promise<string> => {
    const line = lines.shift()
    if (line !== undefined) return Promise.resolve(line)
    if (failure) return Promise.reject(failure)
    const answer = Promise.withResolvers<string>()
    waiting = answer
    const timer = setTimeout(() => fail(`It did not answer within ${timeoutMs} ms.`), timeoutMs)
    const stop = () => fail('It was stopped.')
    signal.addEventListener('abort', stop, { once: true })
    return answer.promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    })
  }
  return {
    hasEnded: () => failure !== null,
    end: () => fail('It was ended.'),
    ask(line, timeoutMs, signal) {
      const asked = turn.then(() => {
        signal.throwIfAborted()
        child.stdin.write(`${line}\n`)
        return next(timeoutMs, signal)
      })
      turn = asked.catch(() => {})
      return asked
    },
  }
}

function followOutput(
  child: ChildProcessWithoutNullStreams,
  fail: (reason: string) => void,
  onLine: (line: string) => void,
): void {
  let errors = ''
  child.on('error', (error) => fail(`It could not be started: ${error.message}`))
  child.on('close', (code) => fail(`It ended with code ${code ?? 'of a signal'}. ${errors.trim().slice(-500)}`.trim()))
  child.stdin.on('error', () => {})
  child.stderr.on('data', (data: Buffer) => {
    errors = `${errors}${data.toString()}`.slice(-2_000)
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.length > maxCharacters) fail('It wrote a line of more than 10 MB.')
    else if (line.trim() !== '') onLine(line)
  })
}

async function post(url: string, message: JsonObject, signal: AbortSignal): Promise<readonly JsonObject[]> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson, application/json' },
      body: JSON.stringify(message),
      signal: AbortSignal.any([signal, AbortSignal.timeout(postTimeoutMs)]),
    })
    const text = await readBounded(response)
    if (!response.ok) throw new JsonProgramError(`It answered with status ${response.status}: ${text.slice(0, 500)}`)
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(parseLine)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof JsonProgramError) throw error
    throw new JsonProgramError(`It cannot be reached: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true })
    if (text.length > maxCharacters) throw new JsonProgramError('It answered with more than 10 MB.')
  }
  return text
}

function parseLine(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line)
    if (isJsonObject(value)) return value
  } catch {
    // Reported below, as any other line that is no object.
  }
  throw new JsonProgramError(`It wrote a line that is not a JSON object: ${line.slice(0, 200)}`)
}
