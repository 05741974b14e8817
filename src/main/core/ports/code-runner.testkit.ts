import type { JsonValue } from '#shared/base/json.ts'
import { placeVariable } from './branch-mounts.ts'
import {
  type CodeRunner,
  type CodeState,
  type JavaScriptRun,
  type PythonRun,
  type RunnerLimits,
  type RunResult,
  stateBytesLimit,
} from './code-runner.ts'
import type { Machine } from './machine.testkit.ts'
import { runScript } from './machine-shell.testkit.ts'

interface Printed {
  stdout: string
  stderr: string
}

/** Thrown when a limit is exceeded, with its message. */
class Passed extends Error {}

const dropped = 'The run was ended and its writes are dropped.'

/**
 * Runs JavaScript in this process, over the given files, and counts output and file calls. A file call that never
 * answers ends at the time limit or the stop. Use it only for code of tests: code that never yields cannot be ended,
 * nothing isolates it, and memory is not measured. It reads no TypeScript. In place of Python it runs a script of the
 * machine's shell over the mount. Its state is the text of all scripts so far, which a script finds in `$EARLIER`.
 */
export function createMemoryCodeRunner(machine: Machine): CodeRunner {
  return {
    async run(request, signal) {
      signal.throwIfAborted()
      const printed: Printed = { stdout: '', stderr: '' }
      const declared: string[] = []
      const waits: string[] = []
      const act =
        request.language === 'python'
          ? runShell(machine, request, printed, signal)
          : runJavaScript(request, printed, declared, (waiting) => waits.push(...waiting))
      try {
        const value = await Promise.race([act, endOf(request.limits, signal)])
        const kept = request.language === 'python' && { state: stateAfter(request) }
        return { outcome: { ok: true, value, ...printed, error: null, duration_ms: 1 }, declared, ...kept }
      } catch (error) {
        signal.throwIfAborted()
        return waits.length > 0 ? { ...failed(error, printed), awaits: waits } : failed(error, printed)
      }
    },
  }
}

const broken = 'damaged'

/** A state that says `damaged` counts as unreadable. */
function stateAfter({ code, state }: PythonRun): CodeState {
  const earlier = new TextDecoder().decode(state ?? new Uint8Array())
  const restored = earlier !== broken
  const after = new TextEncoder().encode(`${restored ? earlier : ''}${code}\n`)
  return { restored, after: after.length > stateBytesLimit ? null : after }
}

function failed(error: unknown, printed: Printed): RunResult {
  const isPassed = error instanceof Passed
  const message = error instanceof Error && !isPassed ? `${error.name}: ${error.message}` : messageOf(error)
  return { outcome: { ok: false, value: null, ...printed, error: message, duration_ms: 1 }, declared: [] }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error)
}

type Body = (fs: object, console: object, spawnSubagent: unknown, runSubagent: unknown) => Promise<unknown>
const AsyncFunction = (async () => {}).constructor as new (...source: string[]) => Body

/** Compiles a single expression so that it returns its value. Anything else is the body of a function. */
function compile(code: string): Body {
  const source = code.replace(/^#!/, '//')
  try {
    return new AsyncFunction('fs', 'console', 'spawnSubagent', 'runSubagent', `return (\n${source}\n)`)
  } catch {
    return new AsyncFunction('fs', 'console', 'spawnSubagent', 'runSubagent', source)
  }
}

async function runJavaScript(
  request: JavaScriptRun,
  printed: Printed,
  declared: string[],
  wait: (tasks: readonly string[]) => void,
): Promise<JsonValue> {
  const { limits } = request
  const print =
    (stream: keyof Printed) =>
    (...values: unknown[]) => {
      const line = `${values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ')}\n`
      const room = limits.outputBytes - printed.stdout.length - printed.stderr.length
      printed[stream] += line.slice(0, Math.max(room, 0))
      if (line.length > room) throw new Passed(`The output limit of ${limits.outputBytes} bytes was passed. ${dropped}`)
    }
  const declare = ({ description, id, type }: { description?: unknown; id?: unknown; type?: unknown }) => {
    const texts = [description, id ?? 'x', type ?? 'x']
    if (!texts.every((text) => typeof text === 'string' && text !== ''))
      throw new TypeError('spawnSubagent takes { description, id?, type? }, each a text.')
    declared.push(JSON.stringify({ description, id, type }))
  }
  const console = { log: print('stdout'), info: print('stdout'), warn: print('stderr'), error: print('stderr') }
  const inFlight = { calls: 0 }
  const files = bridgeOf(request, inFlight)
  const rounds = createRounds(request, inFlight, wait)
  const ended = compile(request.code)(files, console, request.declares ? declare : undefined, rounds.runSubagent)
  const value = await Promise.race([ended, rounds.ended])
  const json = JSON.stringify(value ?? null)
  return json === undefined ? null : (JSON.parse(json) as JsonValue)
}

/** Rounds of subagents, as code in an isolate has them. The code counts as waiting when a turn passes without a file call. */
function createRounds(
  { awaiting }: JavaScriptRun,
  inFlight: { calls: number },
  wait: (tasks: readonly string[]) => void,
) {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  ended.catch(() => undefined)
  let asked: { readonly task: string; readonly resolve: (result: unknown) => void }[] = []
  let round = 0
  const look = () => {
    if (inFlight.calls > 0) return void setImmediate(look)
    const tasks = asked.map(({ task }) => task)
    const before = awaiting?.rounds[round]
    if (before && JSON.stringify(before.tasks) !== JSON.stringify(tasks))
      return reject(new Passed('The code no longer asks for the same ones.'))
    if (!before) {
      wait(tasks)
      return reject(new Passed('It waits.'))
    }
    const waiting = asked
    asked = []
    round += 1
    for (const [index, { resolve }] of waiting.entries()) resolve(JSON.parse(before.results[index] ?? 'null'))
  }
  const runSubagent = (given: string | { description: string; id?: string; type?: string }) =>
    new Promise((resolve) => {
      const { description, id, type } = typeof given === 'string' ? { description: given } : given
      if (asked.length === 0) setImmediate(look)
      asked.push({ task: JSON.stringify({ description, id, type }), resolve })
    })
  return { ended, runSubagent: awaiting && runSubagent }
}

/** The code's `fs`. It accepts only text, and counts each call. */
function bridgeOf({ files, limits }: JavaScriptRun, inFlight: { calls: number }): object {
  let calls = 0
  const guarded =
    (name: keyof typeof files, expected: number) =>
    async (...given: unknown[]) => {
      if (!given.every((one) => typeof one === 'string') || given.length < expected)
        throw new TypeError(`fs.${name} takes text arguments.`)
      calls += 1
      if (calls > limits.bridgeCalls)
        throw new Passed(`The limit of ${limits.bridgeCalls} file calls was passed. ${dropped}`)
      const [path = '/', content = ''] = given as string[]
      inFlight.calls += 1
      try {
        return await (name === 'write' ? files.write(path, content) : files[name](path))
      } finally {
        inFlight.calls -= 1
      }
    }
  return {
    read: guarded('read', 1),
    write: guarded('write', 2),
    list: guarded('list', 0),
    exists: guarded('exists', 1),
    delete: guarded('delete', 1),
  }
}

async function runShell(
  machine: Machine,
  { code, mount, places = [], state }: PythonRun,
  printed: Printed,
  signal: AbortSignal,
): Promise<JsonValue> {
  const onOutput = (text: string) => {
    printed.stdout += text
  }
  const folders = Object.fromEntries(places.map(({ name, folder }) => [placeVariable(name), folder]))
  const variables = { ...folders, EARLIER: new TextDecoder().decode(state ?? new Uint8Array()) }
  const folder = mount.folder
  const status = await runScript(code, { machine, folder, variables, signal, onOutput, sleep: async () => {} })
  if (status !== 0) throw new Error(`exit code ${status}`)
  return null
}

/** Rejects at the time limit, or with the signal's reason. */
async function endOf({ timeoutMs }: RunnerLimits, signal: AbortSignal): Promise<never> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  await new Promise<void>((resolve) => {
    if (over.aborted) resolve()
    else over.addEventListener('abort', () => resolve(), { once: true })
  })
  signal.throwIfAborted()
  throw new Passed(`The time limit of ${timeoutMs} ms was passed. ${dropped}`)
}
