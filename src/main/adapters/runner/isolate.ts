import { stripTypeScriptTypes } from 'node:module'
import ivm from 'isolated-vm'
import { stateBytesLimit } from '#core/ports/code-runner.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { Engine, EngineHost, KeptState } from './engine.ts'
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
  readonly pack: ivm.Reference
  readonly waitsFor: ivm.Reference
  readonly resume: ivm.Reference
  /** The host of the running code. Null until the code arrives. */
  readonly talk: { host: EngineHost | null }
}

/**
 * Runs JavaScript in an isolate on its own thread, so that the process can still send and receive. The isolate is made
 * in advance, and again when the code's memory limit differs.
 */
export function prepareIsolateEngine(expectedMb: number): Engine {
  const prepared = prepare(expectedMb)
  return (run, host) => {
    if (run.language !== 'javascript') throw new Error(`An isolate does not run ${run.language}.`)
    const ready = prepared.memoryMb === run.limits.memoryMb ? prepared : prepare(run.limits.memoryMb)
    ready.talk.host = host
    const look = () => (run.seed === null ? undefined : void tellAwaited(ready, host))
    const finished = execute(ready, run, look).then((outcome) => {
      if (isMemory(outcome.error)) host.limit('memory')
      return outcome
    })
    return {
      finished,
      ...(run.state !== undefined && { packState: () => packState(ready, run.code) }),
      deliver(answer) {
        const { id, ok } = answer
        ready.deliver.applyIgnored(undefined, [id, ok, ok ? JSON.stringify(answer.value ?? null) : answer.message])
        look()
      },
      resume(results) {
        ready.resume.applyIgnored(undefined, [JSON.stringify(results)])
        look()
      },
    }
  }
}

/** Says what the code waits for, when it can do nothing else. It is asked after the code has gone as far as it can. */
async function tellAwaited({ waitsFor }: PreparedIsolate, host: EngineHost): Promise<void> {
  try {
    const text = String(await waitsFor.apply(undefined, [], { result: { copy: true } }))
    if (text !== '') host.awaits(JSON.parse(text))
  } catch {
    // The isolate is gone, and its run says why.
  }
}

/**
 * Gives the context functions only, because a `Reference` or `ExternalCopy` object would expose its class to the code.
 * References stay on this side.
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
  const pack = tools.getSync('pack', { reference: true })
  const waitsFor = tools.getSync('waitsFor', { reference: true })
  const resume = tools.getSync('resume', { reference: true })
  return { memoryMb, isolate, context, deliver, run, pack, waitsFor, resume, talk }
}

/** `onBegun` is called when the code is under way. */
async function execute(
  { isolate, context, run }: PreparedIsolate,
  source: JavaScriptRun,
  onBegun: () => void,
): Promise<EngineOutcome> {
  try {
    const script = compile(isolate, source)
    const main = await script.run(context, { reference: true })
    const given = [
      main.derefInto(),
      source.limits.outputBytes,
      source.declares === true,
      unpack(source.state),
      source.seed,
    ]
    const ended = run.apply(undefined, given, { result: { promise: true, copy: true } })
    onBegun()
    return JSON.parse(String(await ended))
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${beginningOf(error.message, 10_000)}` : 'unknown error'
    return { ok: false, json: 'null', error: message, declared: [] }
  }
}

/** A state of another form than this version's is not read. */
const stateHead = 'JavaScript 1\n'

function unpack(state: string | null | undefined): string {
  const text = state ? Buffer.from(state, 'base64').toString() : ''
  return text === '' || text.startsWith(stateHead) ? text.slice(stateHead.length) : '?'
}

const mostNames = 5_000

/** Words of the code that may name something at its top. Those that do not are left out by whoever looks. */
function namesIn(code: string): string {
  const names = new Set(code.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))
  return [...names].slice(0, mostNames).join(' ')
}

async function packState({ pack }: PreparedIsolate, code: string): Promise<KeptState> {
  try {
    const text = await pack.apply(undefined, [namesIn(code)], { result: { copy: true } })
    const { state, lost }: { readonly state: string | null; readonly lost: readonly string[] } = JSON.parse(
      String(text),
    )
    if (state === null) return { state, lost }
    const bytes = state === '' ? Buffer.alloc(0) : Buffer.from(`${stateHead}${state}`)
    return { state: bytes.length > stateBytesLimit ? null : bytes.toString('base64'), lost }
  } catch {
    return { state: null, lost: [] }
  }
}

/**
 * Compiles the code as JavaScript, else as TypeScript. When both fail, throws the first error, which is about the code
 * as written. On this thread, because going to the isolate's and back takes longer than compiling. Nothing of the code
 * runs here.
 */
function compile(isolate: ivm.Isolate, { code: written, typescript }: JavaScriptRun): ivm.Script {
  // Makes a `#!` line a comment. It is valid only as a script's first line, and wrapping the script moves it.
  const code = written.replace(/^#!/, '//')
  if (typescript) return compileWrapped(isolate, code, stripTypes)
  try {
    return compileWrapped(isolate, code, (wrapped) => wrapped)
  } catch (error) {
    try {
      return compileWrapped(isolate, code, stripTypes)
    } catch {
      throw error
    }
  }
}

/** Code that may be an expression too, but declares something. */
const declaration = /^(\s|\/\/.*\n|\/\*[\s\S]*?\*\/)*(async\s+function|function|class)\b/

/**
 * A single expression gives its value. Anything else is a function body, in which `return` and `await` work. A function or
 * a class alone is a body, because an expression would leave no name.
 */
function compileWrapped(isolate: ivm.Isolate, code: string, strip: (wrapped: string) => string): ivm.Script {
  const compileAs = (wrapped: string) =>
    isolate.compileScriptSync(strip(wrapped), { filename: 'code.js', lineOffset: -1 })
  const asExpression = () => compileAs(`(async () => (\n${code}\n))`)
  const asBody = () => {
    // The function that it hands out sees what the code has at its top, also after a return.
    const strict = /^\s*(['"])use strict\1/.test(code) ? "'use strict'; " : ''
    return compileAs(`(async ($coppice) => { ${strict}$coppice(($name) => eval($name));\n${code}\n})`)
  }
  const [first, second] = declaration.test(code) ? [asBody, asExpression] : [asExpression, asBody]
  try {
    return first()
  } catch {
    return second()
  }
}

function isMemory(error: string | null): boolean {
  return error !== null && /disposed.*memory limit|Array buffer allocation failed/i.test(error)
}

/**
 * Strips types with Node, which replaces them by spaces and so keeps lines and columns. Throws when the code is not
 * TypeScript.
 */
function stripTypes(code: string): string {
  return stripTypeScriptTypes(code, { mode: 'strip' })
}
