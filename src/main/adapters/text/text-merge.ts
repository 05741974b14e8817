import { Worker } from 'node:worker_threads'
import type { TextDiff, TextMerge } from '#core/ports/text-merge.ts'
import { createPace } from '../pace.ts'
import { replacement } from './compare-texts.ts'
import { mergeTexts } from './merge-texts.ts'
import { compareShort, isJoinedAtOnce } from './short-texts.ts'
import type { TextTask } from './text-task.ts'

const boundMs = 3000

/**
 * Short texts are compared and joined at once, others on one thread in the order asked; a task that passes its bound
 * takes the thread with it, and no other task.
 */
export function createTextMerge(workerPath: string, bound = boundMs): TextMerge & AsyncDisposable {
  const thread = createThread(workerPath, bound)
  const pace = createPace()
  return {
    async merge(base, ours, theirs) {
      await pace()
      if (isJoinedAtOnce(base, ours, theirs)) return mergeTexts(base, ours, theirs)
      return await thread.run<{ readonly text: string }>({ kind: 'merge', base, ours, theirs })
    },
    async hunks(before, after, context) {
      await pace()
      const short = compareShort(before, after, context)
      if (short) return short
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
  let started: StartedWorker | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function perform<Result>(task: TextTask): Promise<Result | null> {
    started ??= startWorker(workerPath, () => {
      started = undefined
    })
    const { worker, ready } = started
    worker.ref()
    const answered = (await ready) ? await answerWithin<Result>(worker, task, bound) : broken
    worker.unref()
    if (answered !== broken) return answered
    await worker.terminate()
    return null
  }

  return {
    run<Result>(task: TextTask) {
      const result = last.then(() => perform<Result>(task))
      last = result
      return result
    },
    async close() {
      await last
      await started?.worker.terminate()
    },
  }
}

const broken = Symbol('the bound was reached, or the worker broke')

/** The bound is for the task alone: on a busy machine, starting a thread may take longer than it. */
function answerWithin<Result>(worker: Worker, task: TextTask, bound: number): Promise<Result | null | typeof broken> {
  return new Promise((resolve) => {
    const settle = (result: Result | null | typeof broken) => {
      clearTimeout(timer)
      worker.off('message', settle).off('error', abandon).off('exit', abandon)
      resolve(result)
    }
    const abandon = () => settle(broken)
    const timer = setTimeout(abandon, bound)
    worker.on('message', settle).on('error', abandon).on('exit', abandon)
    worker.postMessage(task)
  })
}

interface StartedWorker {
  readonly worker: Worker
  /** True when it has loaded and can be asked; false when it never will. */
  readonly ready: Promise<boolean>
}

/** Idle, it does not keep the process alive. */
function startWorker(workerPath: string, onExit: () => void): StartedWorker {
  const worker = new Worker(workerPath, { env: {}, stdout: true, stderr: true })
  worker.unref()
  // One that breaks later is seen by whoever waits for it; between tasks nobody does.
  worker.on('error', () => undefined)
  worker.once('exit', onExit)
  const ready = new Promise<boolean>((resolve) => {
    worker.once('message', () => resolve(true))
    worker.once('error', () => resolve(false))
    worker.once('exit', () => resolve(false))
  })
  return { worker, ready }
}
