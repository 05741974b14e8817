import { stripTypeScriptTypes } from 'node:module'
import ivm from 'isolated-vm'
import type { Engine, EngineHost } from './engine.ts'
import { prelude } from './prelude.ts'
import {
  type BridgeMethod,
  bridgeTextLimit,
  type ChildRun,
  type EngineOutcome,
  type Limit,
  type Stream,
} from './protocol.ts'

type JavaScriptRun = Extract<ChildRun, { language: 'javascript' }>

interface PreparedIsolate {
  readonly memoryMb: number
  readonly isolate: ivm.Isolate
  readonly context: ivm.Context
  readonly deliver: ivm.Reference
  readonly run: ivm.Reference
  /** Whom the code talks to, once there is code. */
  readonly talk: { host: EngineHost | null }
}

/**
 * JavaScript in an isolate on a thread of its own, so that the process stays free to talk. The isolate is made before
 * there is code for it, and again when that code may take another amount of memory.
 */
export function prepareIsolateEngine(expectedMb: number): Engine {
  const prepared = prepare(expectedMb)
  return (run, host) => {
    if (run.language !== 'javascript') throw new Error(`An isolate does not run ${run.language}.`)
    const ready = prepared.memoryMb === run.limits.memoryMb ? prepared : prepare(run.limits.memoryMb)
    ready.talk.host = host
    return {
      finished: execute(ready, run).then((outcome) => {
        if (isMemory(outcome.error)) host.limit('memory')
        return outcome
      }),
      deliver: (answer) =>
        ready.deliver.applyIgnored(undefined, [
          answer.id,
          answer.ok,
          answer.ok ? JSON.stringify(answer.value ?? null) : answer.message,
        ]),
    }
  }
}

/**
 * The context gets functions only: a `Reference` or `ExternalCopy` object would hand its class to the code. References
 * are held on this side.
 */
function prepare(memoryMb: number): PreparedIsolate {
  const talk: PreparedIsolate['talk'] = { host: null }
  const isolate = new ivm.Isolate({
    memoryLimit: Math.max(memoryMb, 8),
    onCatastrophicError: () => talk.host?.limit('memory'),
  })
  const context = isolate.createContextSync()
  const tools = context.evalClosureSync(
    prelude,
    [
      new ivm.Callback((stream: Stream, text: string) => talk.host?.log(stream, text)),
      new ivm.Callback((id: number, method: BridgeMethod, json: string) =>
        talk.host?.call(id, method, JSON.parse(json)),
      ),
      new ivm.Callback((limit: Limit) => talk.host?.limit(limit)),
      bridgeTextLimit,
    ],
    { result: { reference: true } },
  )
  const deliver = tools.getSync('deliver', { reference: true })
  const run = tools.getSync('run', { reference: true })
  return { memoryMb, isolate, context, deliver, run, talk }
}

async function execute({ isolate, context, run }: PreparedIsolate, source: JavaScriptRun): Promise<EngineOutcome> {
  try {
    const script = await compile(isolate, source)
    const main = await script.run(context, { reference: true })
    const given = [main.derefInto(), source.limits.outputBytes, source.declares === true]
    return JSON.parse(String(await run.apply(undefined, given, { result: { promise: true, copy: true } })))
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message.slice(0, 10_000)}` : 'unknown error'
    return { ok: false, json: 'null', error: message, declared: [] }
  }
}

/** What is no JavaScript may be TypeScript; where it is neither, the first complaint is about what was written. */
async function compile(isolate: ivm.Isolate, { code: written, typescript }: JavaScriptRun): Promise<ivm.Script> {
  // The line that names an interpreter may only be the first of a script, which it is not once the script is wrapped.
  const code = written.replace(/^#!/, '//')
  if (typescript) return compileWrapped(isolate, code, stripTypes)
  try {
    return await compileWrapped(isolate, code, (wrapped) => wrapped)
  } catch (error) {
    return await compileWrapped(isolate, code, stripTypes).catch(() => Promise.reject(error))
  }
}

/** A single expression gives its value; anything else is a function body, where `return` and `await` work. */
async function compileWrapped(
  isolate: ivm.Isolate,
  code: string,
  strip: (wrapped: string) => string,
): Promise<ivm.Script> {
  const place = { filename: 'code.js', lineOffset: -1 }
  try {
    return await isolate.compileScript(strip(`(async () => (\n${code}\n))`), place)
  } catch {
    return await isolate.compileScript(strip(`(async () => {\n${code}\n})`), place)
  }
}

function isMemory(error: string | null): boolean {
  return error !== null && /disposed.*memory limit|Array buffer allocation failed/i.test(error)
}

/** Node's own type stripping: types become spaces, so that lines and columns stay. Throws where it is no TypeScript. */
function stripTypes(code: string): string {
  return stripTypeScriptTypes(code, { mode: 'strip' })
}
