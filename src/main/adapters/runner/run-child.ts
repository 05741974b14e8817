import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type CodeState,
  type JavaScriptRun,
  type RunnerLimits,
  type RunRequest,
  type RunResult,
  stateBytesLimit,
} from '#core/ports/code-runner.ts'
import type { JsonValue } from '#shared/base/json.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { type RunnerChild, residentMegabytes } from './child-process.ts'
import type { KeptState } from './engine.ts'
import { createPrintedOutput } from './printed-output.ts'
import {
  type Awaited,
  type BridgeAnswer,
  type BridgeCall,
  bridgeTextLimit,
  type ChildRun,
  type EngineOutcome,
  isFromChild,
  type Limit,
  residentMargin,
  type ToChild,
} from './protocol.ts'

const watchMs = 20
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
    const isPython = request.language === 'python'
    const endOfOutput = randomUUID()
    const printed = createPrintedOutput(endOfOutput, limits.outputBytes)
    const output = { stdout: '', stderr: '' }
    let calls = 0
    let answering = false
    let ended: EngineOutcome | undefined
    const keepsState = isPython || request.state !== undefined
    /** Undefined until the child has sent it. */
    let state: KeptState | undefined = keepsState ? undefined : { state: null }
    let isPrinted = !isPython

    const settle = (act: () => void) => {
      clearTimeout(timer)
      clearInterval(watchdog)
      signal.removeEventListener('abort', stop)
      child.removeAllListeners('message')
      child.stdout?.removeAllListeners('data')
      act()
    }
    const finish = (outcome: EngineOutcome): void => {
      const value = readValue(outcome.json, limits.outputBytes)
      const stdout = isPython ? printed.text() : output.stdout
      if (value === undefined) broken(lie)
      else {
        const result = toResult(outcome, value, { ...output, stdout }, performance.now() - started)
        settle(() => resolve(keepsState ? { ...result, state: stateOf(outcome, state) } : result))
      }
    }
    const waitFor = ({ round, tasks }: Awaited): void => {
      const known = request.awaiting?.rounds
      const before = known?.[round]
      const outcome = { ok: false, value: null, ...output, error: null, duration_ms: 0 }
      const isNext = Number.isInteger(round) && round >= 0 && round <= (known?.length ?? -1)
      if (known === undefined || !isNext || tasks.length === 0) broken(lie)
      else if (!before) settle(() => resolve({ outcome, declared: [], awaits: tasks }))
      else if (isDeepStrictEqual(before.tasks, tasks)) say({ type: 'results', results: before.results })
      else broken(divergedMessage(round, before.tasks, tasks))
    }
    const finishWhenComplete = () => {
      if (ended && isPrinted && state !== undefined) finish(ended)
    }
    const broken = (error: string): void => finish({ ok: false, json: 'null', error, declared: [] })
    /** A run that has ended stays good. Only its state is lost. */
    const fail = (limit: Limit) => (ended && isPrinted ? finish(ended) : broken(limitMessage(limit, limits)))
    const stop = () => settle(() => reject(signal.reason))
    const say = (message: ToChild) => child.send(message, () => undefined)

    const timer = setTimeout(() => fail('time'), limits.timeoutMs)
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
          output[message.stream] += beginningOf(message.text, limits.outputBytes)
          return output.stdout.length + output.stderr.length > limits.outputBytes ? fail('output') : undefined
        case 'call':
          return void answer(message)
        case 'limit':
          return fail(message.limit)
        case 'awaits':
          return waitFor(message)
        case 'done':
          ended = message
          return finishWhenComplete()
        case 'state':
          state = message
          return finishWhenComplete()
      }
    })
    child.stdout?.on('data', (chunk: Buffer) => {
      const seen = printed.accept(chunk)
      if (seen === 'full') return broken(limitMessage('output', limits))
      isPrinted = seen === 'ended'
      finishWhenComplete()
    })
    child.on('error', (error) => broken(`The code runner ended: ${error.message}`))
    // All that a Python child printed has come when it is closed.
    child.on(isPython ? 'close' : 'exit', () => fail('memory'))
    signal.addEventListener('abort', stop, { once: true })
    say({ type: 'run', run: forChild(request, endOfOutput) })
  })
}

function forChild(request: RunRequest, endOfOutput: string): ChildRun {
  if (request.language === 'python') {
    const { mount, places = [], state, awaiting, ...run } = request
    const rounds = awaiting?.rounds ?? null
    return { ...run, folder: mount.folder, places, state: toBase64(state), endOfOutput, rounds }
  }
  const { files: _, state, awaiting, ...run } = request
  const seed = awaiting?.seed ?? null
  return state === undefined ? { ...run, seed } : { ...run, seed, state: toBase64(state) }
}

function toBase64(state: Uint8Array | null | undefined): string | null {
  return state ? Buffer.from(state).toString('base64') : null
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

/** The bytes are the child's and are never looked into. */
function stateOf({ ok, stateLost }: EngineOutcome, kept: KeptState | undefined): CodeState {
  const after = ok && kept?.state != null ? new Uint8Array(Buffer.from(kept.state, 'base64')) : null
  return {
    restored: stateLost !== true,
    after: after && after.length <= stateBytesLimit ? after : null,
    ...(kept?.lost && { lost: kept.lost }),
  }
}

/** Code that is run again must ask for the same, or it would be given what somebody else answered to something else. */
function divergedMessage(round: number, before: readonly string[], now: readonly string[]): string {
  const at = now.findIndex((task, index) => task !== before[index])
  const [was = 'nothing', is = 'nothing'] = [before, now].map((tasks) => tasks[at < 0 ? now.length : at])
  const texts = [was, is].map((task) => beginningOf(task, 500))
  return `The code was run again from its start after it had waited for subagents, and it no longer asks for the same ones, so their results do not fit. In round ${round + 1} it had asked for ${texts[0]} and now asks for ${texts[1]}. Nothing of it is kept; the subagents stay on their branches. What code asks for must not depend on the clock or on files that change meanwhile.`
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
