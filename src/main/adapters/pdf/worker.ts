import { parentPort } from 'node:worker_threads'
import type { PdfAnswer } from './pdf-text.ts'

/** The packages are loaded with the first file, because they are large. The caller ends the thread afterwards. */
parentPort?.once('message', (bytes: Uint8Array) => {
  void answer(bytes).then((read) => parentPort?.postMessage(read))
})

async function answer(bytes: Uint8Array): Promise<PdfAnswer> {
  try {
    return { kind: 'read', pages: await readPages(bytes) }
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'PasswordException') return { kind: 'locked' }
    return { kind: 'broken', message: error instanceof Error ? error.message : String(error) }
  }
}

async function readPages(bytes: Uint8Array): Promise<readonly string[]> {
  // The library would start a worker of its own from a file beside it. A bundle has no such file.
  Object.assign(globalThis, { pdfjsWorker: await import('pdfjs-dist/legacy/build/pdf.worker.mjs') })
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const loading = getDocument({ data: bytes, verbosity: 0, disableFontFace: true, useSystemFonts: false })
  const document = await loading.promise
  const pages: string[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('')
    pages.push(text.trimEnd())
    page.cleanup()
  }
  return pages
}
