import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pdfOf } from './pdf-document.testkit.ts'
import { readPdfPages } from './pdf-text.ts'

const worker = join(import.meta.dirname, 'worker.ts')
const read = (bytes: Uint8Array, bound?: number) => readPdfPages(worker, bytes, bound)

it('reads the lines of each page', async () => {
  const pages = await read(pdfOf(['Invoice 7', 'Total (net): 42'], ['Thank you']))
  expect(pages).toEqual(['Invoice 7\nTotal (net): 42', 'Thank you'])
})

it('gives empty pages for a document without text', async () => {
  expect(await read(pdfOf([], []))).toEqual(['', ''])
})

it('refuses what is no PDF, and what takes too long', async () => {
  await expect(read(new TextEncoder().encode('%PDF-1.4 and then nothing'))).rejects.toThrow('It is not a readable PDF')
  await expect(read(pdfOf(['slow']), 0)).rejects.toThrow('took longer than 0 s')
})

it('ends with the run that wants it', async () => {
  const stop = new AbortController()
  const reading = readPdfPages(worker, pdfOf(['slow']), undefined, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(reading).rejects.toThrow('stopped')
})
