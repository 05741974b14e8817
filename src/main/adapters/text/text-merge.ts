import { Worker } from 'node:worker_threads'
import type { TextDiff, TextMerge } from '#core/ports/text-merge.ts'
import { replacement } from './compare-texts.ts'
import type { TextTask } from './text-task.ts'

const boundMs = 3000

/** Both run on one thread in the order asked; a task that passes its bound takes the thread with it, and no other task. */
export function createTextMerge(workerPath: string, bound = boundMs): TextMerge & AsyncDisposable {
  const thread = createThread(workerPath, bound)
  return {
    merge: (base, ours, theirs) => thread.run<{ readonly text: string }>({ kind: 'merge', base, ours, theirs }),
    async hunks(before, after, context) {
      const found = await thread.run<TextDiff>({ kind: 'compare', before, after, context })
      return found ?? replacement(before, after)
    },
    [Symbol.asyncDispose]: thread.close,
  }
}

interface Thread {
  /** Null when the worker says so, when the bound was reached, and when the worker broke. */
  run<Result>(task: TextTask): Promise<Result | null>
  close(): Promise<void>
}

function createThread(workerPath: string, bound: number): Thread {
  let worker: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  function perform<Result>(task: TextTask): Promise<Result | null> {
    worker ??= startWorker(workerPath)
    const current = worker
    return new Promise((resolve) => {
      const settle = (result: Result | null) => {
        clearTimeout(timer)
        current.off('message', settle).off('error', abandon).off('exit', abandon)
        current.unref()
        resolve(result)
      }
      const abandon = () => {
        worker = undefined
        settle(null)
        current.on('error', () => undefined)
        void current.terminate()
      }
      const timer = setTimeout(abandon, bound)
      current.ref()
      current.on('message', settle).on('error', abandon).on('exit', abandon)
      current.postMessage(task)
    })
  }

  return {
    run<Result>(task: TextTask) {
      const result = last.then(() => perform<Result>(task))
      last = result
      return result
    },
    async close() {
      await last
      await worker?.terminate()
      worker = undefined
    },
  }
}

/** Idle, it does not keep the process alive. */
function startWorker(workerPath: string): Worker {
  const worker = new Worker(workerPath, { env: {}, stdout: true, stderr: true })
  worker.unref()
  return worker
}
