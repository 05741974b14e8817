import { defaultRunnerLimits } from '#core/ports/code-runner.ts'
import type { Engine, EngineHost, KeptState } from './engine.ts'
import {
  type BridgeCall,
  type ChildRun,
  type FromChild,
  residentMargin,
  type Stream,
  type ToChild,
} from './protocol.ts'

/** What the parent says during a run. */
type Answer = Exclude<ToChild, { type: 'hello' | 'run' }>

/**
 * The process that runs one piece of code and ends. It has no environment, no network and no files except Python's
 * mount; for everything else it asks its parent.
 *
 * It loads the engine of its language early, so that a run finds it ready.
 */
function send(message: FromChild): void {
  process.send?.(message)
}

/** Ends the process with its parent, even during an endless loop. */
function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

async function loadEngine(language: string | undefined, memoryMb: string | undefined): Promise<Engine> {
  if (language === 'python') return (await import('./python.ts')).runPython
  const engine = (await import('./isolate.ts')).prepareIsolateEngine(Number(memoryMb))
  await rehearse(engine, Number(memoryMb))
  return engine
}

/**
 * Takes every step of a run once, with code that is not a single expression and asks for something that no later code
 * gets from a cache. Otherwise the person's code would wait until the isolate has a thread, and until the functions of
 * this process are compiled.
 */
function rehearse(engine: Engine, memoryMb: number): Promise<void> {
  const limits = { ...defaultRunnerLimits, memoryMb }
  return new Promise((resolve) => {
    const answer = startRun(
      engine,
      { language: 'javascript', code: `await fs.list('/'); return`, limits, seed: null },
      (message) => {
        if (message.type === 'call') answer({ type: 'answer', id: message.id, ok: true, value: [] })
        else if (message.type === 'done') resolve()
      },
    )
  })
}

/** Takes each answer of the parent. `tell` takes what the run has to say. */
function startRun(engine: Engine, run: ChildRun, tell: (message: FromChild) => void): (answer: Answer) => void {
  const { limits } = run
  const output = createChildOutput(tell)
  const calls: BridgeCall[] = []
  let made = 0
  let isPassed = false
  const sendFirst = () => {
    const [first] = calls
    if (first) tell(first)
  }
  const host: EngineHost = {
    log: output.write,
    call(id, method, args) {
      made += 1
      if (made > limits.bridgeCalls) return host.limit('bridge')
      calls.push({ type: 'call', id, method, args })
      if (calls.length === 1) sendFirst()
    },
    awaits(awaited) {
      output.flush()
      tell({ type: 'awaits', ...awaited })
    },
    limit(limit) {
      // The parent ends the process after the first message. Code that catches the error would fill the memory with
      // more of them.
      if (isPassed) return
      isPassed = true
      output.flush()
      tell({ type: 'limit', limit })
    },
  }
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() > (limits.memoryMb + residentMargin) * 1024 * 1024) host.limit('memory')
  }, 20)
  const running = engine(run, host)
  void running.finished.then((outcome) => {
    clearInterval(watch)
    if (outcome.awaits) return host.awaits(outcome.awaits)
    output.flush()
    tell({ type: 'done', ...outcome })
    if (running.packState) void tellState(outcome.ok ? running.packState() : { state: null })
  })
  async function tellState(kept: KeptState | Promise<KeptState>): Promise<void> {
    tell({ type: 'state', ...(await kept) })
  }
  return (answer) => {
    if (answer.type === 'results') return running.resume?.(answer.results)
    calls.shift()
    running.deliver(answer)
    sendFirst()
  }
}

let answer: ((answer: Answer) => void) | undefined
process.on('disconnect', die)
try {
  const engine = await loadEngine(process.argv[2], process.argv[3])
  process.on('message', (message: ToChild) => {
    if (message.type === 'run') answer = startRun(engine, message.run, send)
    else if (message.type !== 'hello') answer?.(message)
  })
  send({ type: 'ready' })
} catch (error) {
  send({ type: 'unavailable', why: error instanceof Error ? error.message : String(error) })
}

const flushMs = 10
const flushCharacters = 16 * 1024

/** Joins texts printed close together. Also sends during a run that never yields. */
function createChildOutput(send: (message: FromChild) => void) {
  let waiting: { readonly stream: Stream; text: string }[] = []
  let characters = 0
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    for (const { stream, text } of waiting) send({ type: 'output', stream, text })
    waiting = []
    characters = 0
  }
  return {
    flush,
    write(stream: Stream, text: string): void {
      const now = performance.now()
      if (waiting.length === 0) since = now
      const last = waiting.at(-1)
      if (last?.stream === stream) last.text += text
      else waiting.push({ stream, text })
      characters += text.length
      if (characters > flushCharacters || now - since > flushMs) flush()
      else timer ??= setTimeout(flush, flushMs)
    },
  }
}
