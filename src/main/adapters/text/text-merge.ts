import { Worker } from 'node:worker_threads'
import type { TextDiff, TextMerge } from '#core/ports/text-merge.ts'
import { compareTexts, joinTexts, replacedWhole } from './compare-texts.ts'
import type { TextAnswer, TextJob, TextReply } from './messages.ts'

/** Below this many characters in all a job takes less than handing it over; far below the 50 ms the main thread may take. */
const inlineCharacters = 4_000
const timeLimitMs = 10_000

interface Waiting {
  readonly resolve: (answer: TextAnswer) => void
  readonly reject: (error: Error) => void
}

/** Small texts at once, large ones in a worker thread that is ended when it passes the time limit. */
export function createTextMerge(workerPath: string): TextMerge & Disposable {
  let worker: Worker | undefined
  let count = 0
  const waiting = new Map<number, Waiting>()

  const drop = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    void worker?.terminate()
    worker = undefined
  }
  const start = (): Worker => {
    const started = new Worker(workerPath)
    started.unref()
    started.on('message', (reply: TextReply) => {
      const job = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('error' in reply) job?.reject(new Error(reply.error))
      else job?.resolve(reply.answer)
    })
    started.on('error', drop)
    return started
  }
  const ask = async (job: TextJob): Promise<TextAnswer> => {
    worker ??= start()
    const id = count++
    const late = setTimeout(() => drop(new TextTimeout()), timeLimitMs)
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker?.postMessage({ id, job })
      })
    } finally {
      clearTimeout(late)
    }
  }

  return {
    async merge(base, ours, theirs) {
      if (base.length + ours.length + theirs.length < inlineCharacters) return joinTexts(base, ours, theirs)
      return (await orNull(ask({ kind: 'merge', base, ours, theirs }))) as { readonly text: string } | null
    },
    async hunks(before, after, context) {
      if (before.length + after.length < inlineCharacters) return compareTexts(before, after, context)
      const answer = (await orNull(ask({ kind: 'hunks', before, after, context }))) as TextDiff | null
      return answer ?? replacedWhole(before, after)
    },
    [Symbol.dispose]: () => drop(new Error('The text worker was closed')),
  }
}

class TextTimeout extends Error {
  override readonly name = 'TextTimeout'
}

/** A job past its time is an expected outcome: a conflict, or a text shown as replaced. */
async function orNull(job: Promise<TextAnswer>): Promise<TextAnswer> {
  try {
    return await job
  } catch (error) {
    if (error instanceof TextTimeout) return null
    throw error
  }
}
