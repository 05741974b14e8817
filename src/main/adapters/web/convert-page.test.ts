import { join } from 'node:path'
import { expect, it } from 'vitest'
import { processorTime } from '#overlay/testkit'
import { convertPage, wordsOfPage } from './convert-page.ts'

const worker = join(import.meta.dirname, 'page-worker.ts')
const page = { html: '<p>one</p>', address: 'https://docs.example/' }
const never = new AbortController().signal

it('ends at its time limit, and with the run', async () => {
  expect(await convertPage(worker, page, never)).toBe('one')
  expect(await convertPage(worker, page, never, 0)).toBeNull()
  await expect(convertPage(worker, page, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
})

it('a page that cannot be converted gives its words, quickly', () => {
  expect(wordsOfPage('<h1>One</h1><script>bad()</script>\n\n two <b>three</b><style>x{}')).toBe('One\ntwo three')
  const taken = processorTime(() => {
    for (const part of ['<', '<script', '</script', ' ', '\n', '< ']) wordsOfPage(part.repeat(1_000_000 / part.length))
  })
  expect(taken).toBeLessThan(10_000)
})
