import ivm from 'isolated-vm'
import type { RunRequest } from '#core/ports/code-runner.ts'
import { prelude } from './prelude.ts'
import { bridgeTextLimit, type IsolateOutcome, type Limit } from './protocol.ts'

export interface IsolateHost {
  log(stream: string, text: string): void
  call(id: number, method: string, argsJson: string): void
  limit(limit: Limit): void
}

export interface RunningIsolate {
  readonly finished: Promise<IsolateOutcome>
  /** Settles one bridge call in the code; `text` is JSON when `ok`, else the message. */
  deliver(id: number, ok: boolean, text: string): void
}

/**
 * The context gets functions only: a `Reference` or `ExternalCopy` object would hand its class to the code. References
 * are held on this side.
 */
export function startIsolate(
  { code, limits, declares }: Pick<RunRequest, 'code' | 'limits' | 'declares'>,
  host: IsolateHost,
): RunningIsolate {
  const isolate = new ivm.Isolate({
    memoryLimit: Math.max(limits.memoryMb, 8),
    onCatastrophicError: () => host.limit('memory'),
  })
  const context = isolate.createContextSync()
  const args = [
    new ivm.Callback((stream: string, text: string) => host.log(stream, text)),
    new ivm.Callback((id: number, method: string, json: string) => host.call(id, method, json)),
    new ivm.Callback((limit: Limit) => host.limit(limit)),
    limits.outputBytes,
    bridgeTextLimit,
    declares === true,
  ]
  const tools = context.evalClosureSync(prelude, args, { result: { reference: true } })
  const deliver = tools.getSync('deliver', { reference: true })
  return {
    finished: execute(isolate, context, tools.getSync('run', { reference: true }), code),
    deliver: (id, ok, text) => deliver.applyIgnored(undefined, [id, ok, text]),
  }
}

async function execute(
  isolate: ivm.Isolate,
  context: ivm.Context,
  run: ivm.Reference,
  code: string,
): Promise<IsolateOutcome> {
  try {
    const script = await compile(isolate, code)
    const main = await script.run(context, { reference: true })
    const outcome = await run.apply(undefined, [main.derefInto()], { result: { promise: true, copy: true } })
    return JSON.parse(String(outcome))
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message.slice(0, 10_000)}` : 'unknown error'
    return { ok: false, json: 'null', error: message, declared: [] }
  }
}

/** A single expression gives its value; anything else is a function body, where `return` and `await` work. */
async function compile(isolate: ivm.Isolate, code: string): Promise<ivm.Script> {
  try {
    return await isolate.compileScript(`(async () => (\n${code}\n))`, { filename: 'code.js', lineOffset: -1 })
  } catch {
    return isolate.compileScript(`(async () => {\n${code}\n})`, { filename: 'code.js', lineOffset: -1 })
  }
}
