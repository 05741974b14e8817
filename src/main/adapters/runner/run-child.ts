import type { JavaScriptRun, RunnerLimits, RunRequest, RunResult } from '#core/ports/code-runner.ts'
import type { JsonValue } from '#shared/base/json.ts'
import { type RunnerChild, residentMegabytes } from './child-process.ts'
import {
  type BridgeAnswer,
  type BridgeCall,
  bridgeTextLimit,
  type ChildRun,
  type EngineOutcome,
  isFromChild,
  type Limit,
  outputExitCode,
  residentMargin,
  type ToChild,
} from './protocol.ts'

const watchMs = 20
/** Milliseconds that the parent waits beyond monty's own time limit, so that monty can still report the output. */
const pythonGraceMs = 250
const lie = 'The code runner sent something it should not.'

/** Lets the child run the code, and kills it in any case. Rejects with the signal's reason. */
export async function runChild(child: RunnerChild, request: RunRequest, signal: AbortSignal): Promise<RunResult> {
  try {
    await abortable(child.ready, signal)
    return await converse(child, request, signal)
  } finally {
    child.process.removeAllListeners()
    child.process.on('error', () => undefined)
    child.process.kill('SIGKILL')
  }
}

function abortable(ready: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    ready.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function converse({ process: child }: RunnerChild, request: RunRequest, signal: AbortSignal): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const { limits } = request
    const started = performance.now()
    const output = { stdout: '', stderr: '' }
    let calls = 0
    let answering = false

    const settle = (act: () => void) => {
      clearTimeout(timer)
      clearInterval(watchdog)
      signal.removeEventListener('abort', stop)
      child.removeAllListeners('message')
      act()
    }
    const finish = (outcome: EngineOutcome): void => {
      const value = readValue(outcome.json, limits.outputBytes)
      if (value === undefined) broken(lie)
      else settle(() => resolve(toResult(outcome, value, output, performance.now() - started)))
    }
    const broken = (error: string): void => finish({ ok: false, json: 'null', error, declared: [] })
    const fail = (limit: Limit) => broken(limitMessage(limit, limits))
    const stop = () => settle(() => reject(signal.reason))
    const say = (message: ToChild) => child.send(message, () => undefined)

    const graceMs = request.language === 'python' ? pythonGraceMs : 0
    const timer = setTimeout(() => fail('time'), limits.timeoutMs + graceMs)
    const watchdog = setInterval(() => {
      if (residentMegabytes(child.pid) > limits.memoryMb + residentMargin) fail('memory')
    }, watchMs)

    const answer = async (call: BridgeCall): Promise<void> => {
      calls += 1
      if (calls > limits.bridgeCalls || answering || request.language !== 'javascript') return fail('bridge')
      answering = true
      const reply = await callFiles(request, call)
      answering = false
      if (child.connected) say(reply)
    }
    child.on('message', (message) => {
      if (!isFromChild(message)) return broken(lie)
      switch (message.type) {
        case 'ready':
        case 'unavailable':
          return
        case 'output':
          output[message.stream] += message.text.slice(0, limits.outputBytes)
          return output.stdout.length + output.stderr.length > limits.outputBytes ? fail('output') : undefined
        case 'call':
          return void answer(message)
        case 'limit':
          return fail(message.limit)
        case 'done':
          return finish(message)
      }
    })
    child.on('error', (error) => broken(`The code runner ended: ${error.message}`))
    child.on('exit', (code) => fail(code === outputExitCode ? 'output' : 'memory'))
    signal.addEventListener('abort', stop, { once: true })
    say({ type: 'run', run: forChild(request) })
  })
}

function forChild(request: RunRequest): ChildRun {
  if (request.language === 'python') {
    const { mount, ...run } = request
    return { ...run, folder: mount.folder }
  }
  const { files: _, ...run } = request
  return run
}

async function callFiles({ files }: JavaScriptRun, call: BridgeCall): Promise<BridgeAnswer> {
  const [first = '', second = ''] = call.args
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

/** Undefined when the text is not JSON. The code may have changed the function that writes it. */
function readValue(json: string, outputBytes: number): JsonValue | undefined {
  if (json.length > outputBytes) return null
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function toResult(
  { ok, error, declared }: EngineOutcome,
  value: JsonValue,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
  duration: number,
): RunResult {
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
