import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBoundedFetch } from './bounded-fetch.ts'

const largest = 1_000_000

/** Sends lines of a length, a number of times. */
const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
  response.writeHead(200, { 'content-type': searchParams.get('type') ?? 'application/json' })
  for (let count = 0; count < Number(searchParams.get('times')); count += 1)
    response.write(`${'x'.repeat(Number(searchParams.get('length')))}\n`)
  response.end()
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

async function received(type: string, length: number, times: number): Promise<number | string> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?type=${type}&length=${length}&times=${times}`
  const response = await createBoundedFetch(largest)(url)
  return response.text().then(
    (text) => text.length,
    (error: Error) => error.message,
  )
}

describe('an answer of a server', () => {
  it('is read up to its limit', async () => {
    expect(await received('application/json', 999, 900)).toBe(900_000)
    expect(await received('application/json', 999, 2_000)).toMatch(/more than 1000000 bytes/)
  })

  it('may be endless as a stream, but not in one line', async () => {
    expect(await received('text/event-stream', 999, 3_000)).toBe(3_000_000)
    expect(await received('text/event-stream', 2_000_000, 1)).toMatch(/more than 1000000 bytes/)
  })
})
