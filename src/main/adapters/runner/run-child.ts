import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { CodeRunnerError, type RunnerLimits, type RunRequest, type RunResult } from '#core/ports/code-runner.ts'
import {
  bridgeMethods,
  bridgeTextLimit,
  type FromChild,
  type IsolateOutcome,
  type Limit,
  type ToChild,
} from './protocol.ts'

export interface ChildPaths {
  /** Node 24. */
  readonly nodePath: string
  /** `child.ts`, or what it was built to. */
  readonly childPath: string
}

const startMs = 10_000
const watchMs = 20
/** What Node itself takes, beside what the code may take. */
const residentMargin = 160

/** Starts a child, lets it run the code and kills it, whatever it did. Rejects with the reason of the signal. */
export function runChild(paths: ChildPaths, request: RunRequest, signal: AbortSignal): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawnChild(paths)
    const started = performance.now()
    const output = { stdout: '', stderr: '' }
    let calls = 0
    let answering = false
    let ready = false

    const settle = (act: () => void) => {
      clearTimeout(timer)
      clearInterval(watchdog)
      signal.removeEventListener('abort', stop)
      child.removeAllListeners()
      child.on('error', () => undefined)
      child.kill('SIGKILL')
      act()
    }
    const finish = (isolate: IsolateOutcome) =>
      settle(() => resolve(toResult(isolate, output, request.limits, performance.now() - started)))
    const broken = (error: string) => finish({ ok: false, json: 'null', error, declared: [] })
    const fail = (limit: Limit) => broken(limitMessage(limit, request.limits))
    const unavailable = (why: string) =>
      settle(() => reject(new CodeRunnerError('unavailable', `The code runner could not be started: ${why}`)))
    const stop = () => settle(() => reject(signal.reason))
    const say = (message: ToChild) => child.send(message, () => undefined)

    let timer = setTimeout(() => unavailable('it did not answer.'), startMs)
    const watchdog = setInterval(() => {
      if (residentMegabytes(child.pid) > request.limits.memoryMb + residentMargin) fail('memory')
    }, watchMs)

    const answer = async (call: Extract<FromChild, { type: 'call' }>): Promise<void> => {
      calls += 1
      if (calls > request.limits.bridgeCalls) return fail('bridge')
      if (answering) return fail('bridge')
      answering = true
      const reply = await callFiles(request, call)
      answering = false
      if (child.connected) say(reply)
    }
    child.on('message', (message) => {
      if (!isFromChild(message)) return broken('The code runner sent something it should not.')
      switch (message.type) {
        case 'ready':
          clearTimeout(timer)
          timer = setTimeout(() => fail('time'), request.limits.timeoutMs)
          ready = true
          return say({ type: 'run', code: request.code, limits: request.limits, declares: request.declares === true })
        case 'output':
          output[message.stream] += message.text.slice(0, request.limits.outputBytes)
          return output.stdout.length + output.stderr.length > request.limits.outputBytes ? fail('output') : undefined
        case 'call':
          return void answer(message)
        case 'limit':
          return fail(message.limit)
        case 'done':
          return finish(message)
      }
    })
    child.on('error', (error) => unavailable(error.message))
    child.on('exit', () => (ready ? fail('memory') : unavailable('it ended at once.')))
    signal.addEventListener('abort', stop, { once: true })
  })
}

function spawnChild({ nodePath, childPath }: ChildPaths): ChildProcess {
  const systemRoot = process.env.SystemRoot
  return spawn(nodePath, ['--no-node-snapshot', '--no-warnings', childPath], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: process.platform === 'win32' && systemRoot ? { SystemRoot: systemRoot } : {},
    windowsHide: true,
  })
}

async function callFiles(request: RunRequest, call: Extract<FromChild, { type: 'call' }>): Promise<ToChild> {
  const [first = '', second = ''] = call.args
  const { files } = request
  try {
    const value = call.method === 'write' ? await files.write(first, second) : await files[call.method](first)
    if (typeof value === 'string' && value.length > bridgeTextLimit) {
      throw new Error(
        `${first} is too large to be read by code: ${value.length} characters, at most ${bridgeTextLimit}.`,
      )
    }
    return { type: 'answer', id: call.id, ok: true, value: value ?? null }
  } catch (error) {
    return { type: 'answer', id: call.id, ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

function toResult(
  { ok, json, error, declared }: IsolateOutcome,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
  limits: RunnerLimits,
  duration: number,
): RunResult {
  const value = json.length > limits.outputBytes ? null : JSON.parse(json)
  return {
    outcome: { ok, value, stdout, stderr, error, duration_ms: Math.round(duration) },
    declared: ok ? declared : [],
  }
}

function limitMessage(limit: Limit, limits: RunnerLimits): string {
  const dropped = 'The run was ended and its writes are dropped.'
  switch (limit) {
    case 'time':
      return `The time limit of ${limits.timeoutMs} ms was passed. ${dropped}`
    case 'memory':
      return `The memory limit of ${limits.memoryMb} MB was passed. ${dropped}`
    case 'output':
      return `The output limit of ${limits.outputBytes} bytes was passed. ${dropped}`
    case 'bridge':
      return `The limit of ${limits.bridgeCalls} file calls was passed. ${dropped}`
  }
}

function isFromChild(message: unknown): message is FromChild {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false
  const { type, ...rest } = message as Record<string, unknown>
  switch (type) {
    case 'ready':
      return true
    case 'output':
      return (rest.stream === 'stdout' || rest.stream === 'stderr') && typeof rest.text === 'string'
    case 'call':
      return typeof rest.id === 'number' && bridgeMethods.has(String(rest.method)) && isTexts(rest.args)
    case 'limit':
      return ['time', 'memory', 'output', 'bridge'].includes(String(rest.limit))
    case 'done':
      return (
        typeof rest.ok === 'boolean' &&
        typeof rest.json === 'string' &&
        (rest.error === null || typeof rest.error === 'string') &&
        isTexts(rest.declared)
      )
    default:
      return false
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Zero where the system does not tell cheaply; there the child watches itself. */
function residentMegabytes(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return 0
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
    return (pages * 4096) / (1024 * 1024)
  } catch {
    return 0
  }
}
