import { Worker } from 'node:worker_threads'

/** Why a PDF gave no text. The message says what a person can do. */
export class PdfError extends Error {
  override readonly name = 'PdfError'
}

/** What the worker answers. */
export type PdfAnswer =
  | { readonly kind: 'read'; readonly pages: readonly string[] }
  | { readonly kind: 'locked' }
  | { readonly kind: 'broken'; readonly message: string }

/** A file from outside can be made to take forever, or all memory. */
const boundMs = 60_000
const memoryMb = 768

/**
 * The text of each page, in order. Runs in a thread of its own, which ends with the file.
 *
 * @throws PdfError when the file is no readable PDF, is locked, or takes too long; the reason of `signal`
 */
export async function readPdfPages(
  workerPath: string,
  bytes: Uint8Array,
  bound = boundMs,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  signal?.throwIfAborted()
  // The library writes warnings about drawing, which nobody needs here.
  const limits = { maxOldGenerationSizeMb: memoryMb }
  const worker = new Worker(workerPath, { env: {}, stdout: true, stderr: true, resourceLimits: limits })
  try {
    const answer = await answerOf(worker, bytes, bound, signal)
    if (answer.kind === 'read') return answer.pages
    if (answer.kind === 'locked') throw new PdfError('It is locked with a password. Save it without one and try again.')
    throw new PdfError(`It is not a readable PDF (${answer.message}).`)
  } finally {
    await worker.terminate()
  }
}

function answerOf(worker: Worker, bytes: Uint8Array, bound: number, signal?: AbortSignal): Promise<PdfAnswer> {
  return new Promise((resolve, reject) => {
    const seconds = Math.round(bound / 1000)
    const late = new PdfError(`Reading it took longer than ${seconds} s. Attach only the pages that matter.`)
    const timer = setTimeout(() => reject(late), bound)
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', end, { once: true })
    worker.once('message', (answer: PdfAnswer) => {
      clearTimeout(timer)
      resolve(answer)
    })
    worker.once('error', (error) => {
      clearTimeout(timer)
      reject(new PdfError(`It could not be read (${error.message}).`))
    })
    worker.postMessage(bytes)
  })
}
