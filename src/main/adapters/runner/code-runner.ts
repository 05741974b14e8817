import type { CodeRunner, PythonRun, RunResult } from '#core/ports/code-runner.ts'
import { createChildPool } from './child-pool.ts'
import { type ChildPaths, startChild } from './child-process.ts'
import { runChild } from './run-child.ts'
import { createSlots } from './slots.ts'

/** Each run takes a process and its memory; the others wait their turn. */
const runsAtOnce = 4

/** Runs JavaScript in isolates and Python in monty, each run in a child process of its own. */
export function createCodeRunner(paths: ChildPaths): CodeRunner & Disposable {
  const slots = createSlots(runsAtOnce)
  const pool = createChildPool(paths)
  return {
    async run(request, signal) {
      using _slot = await slots.take(signal)
      if (request.language === 'python') return await runInView(request, signal)
      const { memoryMb } = request.limits
      try {
        return await runChild(pool.take(memoryMb), request, signal)
      } finally {
        // Whoever waits for the result is answered first: starting a process takes a while.
        setImmediate(() => pool.refill(memoryMb))
      }
    },
    [Symbol.dispose]: () => pool[Symbol.dispose](),
  }

  /** A view can only be entered by a process that starts in it. */
  function runInView(request: PythonRun, signal: AbortSignal): Promise<RunResult> {
    return runChild(startChild(paths, 'python', request.limits.memoryMb, request.view.enter), request, signal)
  }
}
