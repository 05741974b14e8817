import { Worker } from 'node:worker_threads'
import type { ConvertedPage, PageToConvert } from './page-worker.ts'

/** A page can be made to take forever, or all memory. */
const boundMs = 8_000
const limits = { maxOldGenerationSizeMb: 512, stackSizeMb: 8 }

/** A page as Markdown, made in a thread of its own that ends with it. Null for one that is too much for it. */
export async function convertPage(
  workerPath: string,
  page: PageToConvert,
  signal: AbortSignal,
  bound = boundMs,
): Promise<string | null> {
  signal.throwIfAborted()
  const worker = new Worker(workerPath, { env: {}, stdout: true, stderr: true, resourceLimits: limits })
  try {
    return await new Promise<string | null>((resolve, reject) => {
      const timer = setTimeout(() => resolve(null), bound)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.once('message', (answer: ConvertedPage) => resolve(answer.kind === 'converted' ? answer.markdown : null))
      worker.once('error', () => resolve(null))
      worker.once('exit', () => clearTimeout(timer))
      worker.postMessage(page)
    })
  } finally {
    await worker.terminate()
  }
}

/** The words of a page without its marks, for one that cannot be converted. */
export function wordsOfPage(html: string): string {
  return html
    .replace(/<(script|style|noscript|template)\b[\s\S]*?(<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim()
}
