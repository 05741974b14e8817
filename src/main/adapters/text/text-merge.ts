import { Worker } from 'node:worker_threads'
import type { TextDiff, TextMerge } from '#core/ports/text-merge.ts'
import { createPace } from '../pace.ts'
import { compareWithin, replacement } from './compare-texts.ts'
import { mergeTexts } from './merge-texts.ts'
import { equalEnds, splitLines } from './text-lines.ts'
import type { TextTask } from './text-task.ts'

const boundMs = 3000
/** A thread that needs more ends, as at its time limit. */
const limits = { maxOldGenerationSizeMb: 512 } as const

/**
 * Short texts are compared and merged here; others run on one thread in the order of the calls. A task that exceeds its
 * time limit ends the thread, but no other task.
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
  /** Null when the worker returns null, the time limit is reached, or the worker breaks. */
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

/** The limit starts with the task, because starting a thread may take longer than that on a busy machine. */
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
  /** True when the worker has loaded. False when it never will. */
  readonly ready: Promise<boolean>
}

/** An idle worker does not keep the process alive. */
function startWorker(workerPath: string, onExit: () => void): StartedWorker {
  const worker = new Worker(workerPath, { env: {}, stdout: true, stderr: true, resourceLimits: limits })
  worker.unref()
  // Whoever waits for the worker sees its error. Between tasks nobody needs it.
  worker.on('error', () => undefined)
  worker.once('exit', onExit)
  const ready = new Promise<boolean>((resolve) => {
    worker.once('message', () => resolve(true))
    worker.once('error', () => resolve(false))
    worker.once('exit', () => resolve(false))
  })
  return { worker, ready }
}

/**
 * Texts up to this length are handled on this thread. That takes milliseconds for any content, less than another
 * thread's answer.
 */
const mostCharacters = 32 * 1024
const longestEdit = 60
const mostPairs = 10_000

function areShort(...texts: readonly string[]): boolean {
  return texts.every((text) => text.length <= mostCharacters)
}

/** Undefined when the texts differ too much for a comparison on this thread. */
function compareShort(before: string, after: string, context: number): TextDiff | undefined {
  return areShort(before, after) ? compareWithin({ maxEditLength: longestEdit }, before, after, context) : undefined
}

/** The time for a merge grows with the pairs of equal lines. Texts that repeat themselves have many. */
function isJoinedAtOnce(base: string, ours: string, theirs: string): boolean {
  if (!areShort(base, ours, theirs)) return false
  const lines = splitLines(base)
  return pairsOf(lines, splitLines(ours)) + pairsOf(lines, splitLines(theirs)) <= mostPairs
}

/** Counts pairs of equal lines between the equal ends of both texts, the only part that is compared. */
function pairsOf(base: readonly string[], side: readonly string[]): number {
  const { before, behind } = equalEnds(base, side)
  const counts = new Map<string, number>()
  for (const line of base.slice(before, base.length - behind)) counts.set(line, (counts.get(line) ?? 0) + 1)
  return side.slice(before, side.length - behind).reduce((pairs, line) => pairs + (counts.get(line) ?? 0), 0)
}
