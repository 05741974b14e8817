import { describe, expect, it } from 'vitest'
import { ModelError } from '#core/ports/model-client.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { eventStream, serveModel } from './model-server.testkit.ts'
import { createWatchdog } from './watchdog.ts'

const never = new AbortController().signal
const post: RequestInit = { method: 'POST', headers: { 'x-api-key': 'sk-canary' }, body: 'canary-words' }

async function watch(address: string): Promise<Response> {
  using watchdog = createWatchdog(60_000, never)
  return await watchdog.watch(address, post)
}

async function redirectTo(status: number, location: string): Promise<string> {
  return serveModel((response) => response.writeHead(status, { location }).end())
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %i to another server gets neither key nor words', async (status) => {
    const heard: string[] = []
    const other = await serveModel((response, request, body) => {
      heard.push(`${request.headers['x-api-key']} ${body}`)
      eventStream('data: {}\n\n')(response, request, body)
    })
    const address = await redirectTo(status, `${other}/v1/messages?token=sk-other`)
    for (const ask of [watch, (at: string) => guardedFetch(at, { headers: { 'x-api-key': 'sk-canary' } })]) {
      const error = await ask(`${address}/v1?key=sk-query`).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ModelError)
      expect(String(error)).toContain(`${address}/v1 redirects to ${other}/v1/messages, where nothing was sent.`)
      expect(String(error)).not.toMatch(/sk-/)
    }
    expect(heard).toEqual([])
  })

  it('within the server is followed with everything, but not for ever', async () => {
    const address = await serveModel((response, request, body) => {
      if (request.url === '/here') return eventStream(`data: ${request.method} ${body}\n\n`)(response, request, body)
      response.writeHead(308, { location: request.url === '/round' ? '/round' : '/here' }).end()
    })
    expect(await (await watch(`${address}/there`)).text()).toBe('data: POST canary-words\n\n')
    await expect(watch(`${address}/round`)).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('a whole document in place of a stream', () => {
  const json = (body: unknown) =>
    serveModel((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)))

  it.each([
    [{ error: { message: 'The model is loading.', type: 'overloaded_error' } }, 'overloaded', /The model is loading\./],
    [{ error: 'No credits left.' }, 'bad_request', /No credits left\./],
    [{ error: { message: 'Slow down.', code: 429 } }, 'rate_limited', /Slow down\./],
    [{ id: 'x', error: null }, 'bad_request', /does not stream/],
    [{ id: 'x' }, 'bad_request', /does not stream/],
  ])('%j keeps the words of the server', async (body, code, words) => {
    await expect(watch(await json(body))).rejects.toMatchObject({ code, message: expect.stringMatching(words) })
  })
})
