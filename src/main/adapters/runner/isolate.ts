import ivm from 'isolated-vm'
import type { Engine, EngineHost } from './engine.ts'
import { prelude } from './prelude.ts'
import type { BridgeMethod, ChildRun, EngineOutcome, Limit, Stream } from './protocol.ts'
import { bridgeTextLimit } from './protocol.ts'
import { stripTypes } from './strip-types.ts'

type JavaScriptRun = Extract<ChildRun, { language: 'javascript' }>

/**
 * JavaScript in an isolate on a thread of its own, so that the process stays free to talk. The context gets functions
 * only: a `Reference` or `ExternalCopy` object would hand its class to the code. References are held on this side.
 */
export const runInIsolate: Engine = (run, host) => {
  if (run.language !== 'javascript') throw new Error(`An isolate does not run ${run.language}.`)
  const isolate = new ivm.Isolate({
    memoryLimit: Math.max(run.limits.memoryMb, 8),
    onCatastrophicError: () => host.limit('memory'),
  })
  const context = isolate.createContextSync()
  const tools = context.evalClosureSync(prelude, preludeArguments(run, host), { result: { reference: true } })
  const deliver = tools.getSync('deliver', { reference: true })
  return {
    finished: execute(isolate, context, tools.getSync('run', { reference: true }), run).then((outcome) => {
      if (isMemory(outcome.error)) host.limit('memory')
      return outcome
    }),
    deliver: (answer) =>
      deliver.applyIgnored(undefined, [
        answer.id,
        answer.ok,
        answer.ok ? JSON.stringify(answer.value ?? null) : answer.message,
      ]),
  }
}

function preludeArguments({ limits, declares }: JavaScriptRun, host: EngineHost): unknown[] {
  return [
    new ivm.Callback((stream: Stream, text: string) => host.log(stream, text)),
    new ivm.Callback((id: number, method: BridgeMethod, json: string) => host.call(id, method, JSON.parse(json))),
    new ivm.Callback((limit: Limit) => host.limit(limit)),
    limits.outputBytes,
    bridgeTextLimit,
    declares === true,
  ]
}

async function execute(
  isolate: ivm.Isolate,
  context: ivm.Context,
  run: ivm.Reference,
  source: JavaScriptRun,
): Promise<EngineOutcome> {
  try {
    const script = await compile(isolate, source)
    const main = await script.run(context, { reference: true })
    const outcome = await run.apply(undefined, [main.derefInto()], { result: { promise: true, copy: true } })
    return JSON.parse(String(outcome))
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message.slice(0, 10_000)}` : 'unknown error'
    return { ok: false, json: 'null', error: message, declared: [] }
  }
}

/** What is no JavaScript may be TypeScript; where it is neither, the first complaint is about what was written. */
async function compile(isolate: ivm.Isolate, { code, typescript }: JavaScriptRun): Promise<ivm.Script> {
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
