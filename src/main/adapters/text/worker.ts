import { parentPort } from 'node:worker_threads'
import { compareTexts, joinTexts } from './compare-texts.ts'
import type { TextAnswer, TextJob, TextReply } from './messages.ts'

/** Compares texts beside the main thread, which may not stand still; the parent ends it when it takes too long. */
parentPort?.on('message', ({ id, job }: { readonly id: number; readonly job: TextJob }) => {
  parentPort?.postMessage(replyTo(id, job))
})

function replyTo(id: number, job: TextJob): TextReply {
  try {
    return { id, answer: answer(job) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}

function answer(job: TextJob): TextAnswer {
  if (job.kind === 'merge') return joinTexts(job.base, job.ours, job.theirs)
  return compareTexts(job.before, job.after, job.context)
}
