import { type IsolateHost, type RunningIsolate, startIsolate } from './isolate.ts'
import type { FromChild, ToChild } from './protocol.ts'

/**
 * The process that runs one piece of code and is then gone. It holds nothing: no environment, no files, no network;
 * all it can do is ask its parent. The isolate runs on a thread of its own, so this thread stays free to talk.
 */
const flushMs = 10
const residentMargin = 160

function send(message: FromChild): void {
  process.send?.(message)
}

/** Nothing may outlive the parent, not even a loop that never ends. */
function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

function runCode(request: Extract<ToChild, { type: 'run' }>): (answer: Extract<ToChild, { type: 'answer' }>) => void {
  const { limits } = request
  const output = createOutput()
  const calls: Extract<FromChild, { type: 'call' }>[] = []
  let made = 0
  let isolate: RunningIsolate | undefined
  const sendFirst = () => {
    const [first] = calls
    if (first) send(first)
  }
  const host: IsolateHost = {
    log: (stream, text) => output.write(stream === 'stderr' ? 'stderr' : 'stdout', text),
    call(id, method, argsJson) {
      made += 1
      if (made > limits.bridgeCalls) return host.limit('bridge')
      calls.push({ type: 'call', id, method, args: JSON.parse(argsJson) } as Extract<FromChild, { type: 'call' }>)
      if (calls.length === 1) sendFirst()
    },
    limit(limit) {
      output.flush()
      send({ type: 'limit', limit })
    },
  }
  setInterval(() => {
    if (process.memoryUsage.rss() > (limits.memoryMb + residentMargin) * 1024 * 1024) host.limit('memory')
  }, 20)
  isolate = startIsolate(request, host)
  isolate.finished.then((outcome) => {
    output.flush()
    send(isMemory(outcome.error) ? { type: 'limit', limit: 'memory' } : { type: 'done', ...outcome })
  })
  return (answer) => {
    calls.shift()
    isolate?.deliver(answer.id, answer.ok, answer.ok ? JSON.stringify(answer.value ?? null) : answer.message)
    sendFirst()
  }
}

function isMemory(error: string | null): boolean {
  return error !== null && /disposed.*memory limit|Array buffer allocation failed/i.test(error)
}

function createOutput() {
  let waiting: { readonly stream: 'stdout' | 'stderr'; text: string }[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    for (const { stream, text } of waiting) send({ type: 'output', stream, text })
    waiting = []
  }
  return {
    flush,
    write(stream: 'stdout' | 'stderr', text: string): void {
      const last = waiting.at(-1)
      if (last?.stream === stream) last.text += text
      else waiting.push({ stream, text })
      timer ??= setTimeout(flush, flushMs)
    },
  }
}

let answer: ReturnType<typeof runCode> | undefined
process.on('message', (message: ToChild) => {
  if (message.type === 'run') answer = runCode(message)
  else answer?.(message)
})
process.on('disconnect', die)
send({ type: 'ready' })
