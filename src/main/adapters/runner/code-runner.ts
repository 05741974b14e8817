import type { CodeRunner, PythonRun, RunResult } from '#core/ports/code-runner.ts'
import { createSemaphore } from '#shared/base/limiter.ts'
import { type ChildPaths, type RunnerChild, startChild } from './child-process.ts'
import { runChild } from './run-child.ts'

/** Each run takes a process and its memory. Further runs wait. */
const runsAtOnce = 4

/** Runs JavaScript in isolates and Python in monty. Each run has its own child process. */
export function createCodeRunner(paths: ChildPaths): CodeRunner & Disposable {
  const slots = createSemaphore(runsAtOnce)
  const pool = createChildPool(paths)
  return {
    async run(request, signal) {
      using _slot = await slots.enter(signal)
      if (request.language === 'python') return await runInView(request, signal)
      const { memoryMb } = request.limits
      try {
        return await runChild(pool.take(memoryMb), request, signal)
      } finally {
        // Answer the caller first, because starting a process takes a while.
        setImmediate(() => pool.refill(memoryMb))
      }
    },
    [Symbol.dispose]: () => pool[Symbol.dispose](),
  }

  /** Starts a new process in the mount, because a running one cannot enter it. */
  function runInView(request: PythonRun, signal: AbortSignal): Promise<RunResult> {
    return runChild(startChild(paths, 'python', request.limits.memoryMb, request.mount.enter), request, signal)
  }
}

/** Milliseconds until an unused spare child is ended. */
const idleMs = 60_000

interface Spare extends RunnerChild {
  readonly timer: NodeJS.Timeout
}

export interface ChildPool extends Disposable {
  /** Returns a child for one run. The caller kills it. */
  take(memoryMb: number): RunnerChild
  /** Call after a run, so that the next one finds a child ready. */
  refill(memoryMb: number): void
}

/** Keeps at most one spare child, for JavaScript, while it was used recently. */
function createChildPool(paths: ChildPaths): ChildPool {
  let spare: Spare | undefined
  let closed = false
  const forget = (child: RunnerChild) => {
    if (spare?.process === child.process) spare = undefined
    child.process.kill('SIGKILL')
  }
  return {
    take(memoryMb) {
      if (!spare) return startChild(paths, 'javascript', memoryMb)
      const child = spare
      spare = undefined
      clearTimeout(child.timer)
      hold(child, 'ref')
      return child
    },
    refill(memoryMb) {
      if (closed || spare) return
      const child = startChild(paths, 'javascript', memoryMb)
      hold(child, 'unref')
      child.process.once('exit', () => forget(child))
      spare = { ...child, timer: setTimeout(() => forget(child), idleMs).unref() }
    },
    [Symbol.dispose]() {
      closed = true
      if (!spare) return
      clearTimeout(spare.timer)
      forget(spare)
    },
  }
}

/** `unref` lets the application end although the spare child lives. */
function hold({ process: child }: RunnerChild, act: 'ref' | 'unref'): void {
  child[act]()
  child.channel?.[act]()
}
