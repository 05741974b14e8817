import { mkdtempSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { WebSocket } from 'ws'
import { startCoppice } from '../support/coppice.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
}

/** Tries each host, origin and token, and uses a socket before it has sent its token. */
test('only the right host, origin and token get in', async () => {
  const child = startCoppice(
    ['serve', '--port', '0', '--no-open', '--data-dir', mkdtempSync(join(tmpdir(), 'coppice-door-'))],
    {},
  )
  const url = await new Promise<URL>((resolve) => {
    let output = ''
    child.stdout?.on('data', (text) => {
      output += text
      const found = /http:\S+/.exec(output)
      if (found) resolve(new URL(found[0]))
    })
  })
  const token = url.hash.slice('#token='.length)
  const port = Number(url.port)
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, '127.0.0.1', `evil.test:${port}`, `127.0.0.1:${port + 1}`]
  const origins = [
    undefined,
    `http://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    'http://evil.test',
    'null',
    `https://127.0.0.1:${port}`,
  ]
  const tokens = [token, `${token}x`, '', undefined]
  const goodHosts = new Set(hosts.slice(0, 2))
  const goodOrigins = new Set([origins[1], origins[2]])
  let tried = 0
  let wrong = 0
  for (const host of hosts) {
    for (const origin of origins) {
      for (const given of tokens) {
        tried += 2
        const page = await get(port, '/status', {
          host,
          ...(origin && { origin }),
          ...(given !== undefined && { authorization: `Bearer ${given}` }),
        })
        const mayAsk = goodHosts.has(host) && (origin === undefined || goodOrigins.has(origin))
        if (page.status !== (mayAsk ? (given === token ? 200 : 401) : 403)) wrong += 1
        const socket = await shake(port, host, origin, given)
        const mayEnter = goodHosts.has(host) && goodOrigins.has(origin) && given === token
        if ((socket === 'ready') !== mayEnter) wrong += 1
      }
    }
  }
  expect({ tried, wrong }).toEqual({ tried: 240, wrong: 0 })

  const page = await get(port, '/', { host: hosts[0] ?? '' })
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  for (const path of [
    '/../package.json',
    '/..%2f..%2fpackage.json',
    '/assets/../../main/cli.js',
    '//etc/passwd',
    '/%00',
  ]) {
    expect((await get(port, path, { host: hosts[0] ?? '' })).status, path).toBe(404)
  }
  child.kill('SIGTERM')
})

function get(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path, headers, setHost: false }, (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, headers: response.headers })
    })
      .on('error', reject)
      .end()
  })
}

/** The reaction of the host to a socket that sends this token first. */
function shake(port: number, host: string, origin: string | undefined, token: string | undefined): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, { headers: { host, ...(origin && { origin }) } })
    socket.on('open', () => socket.send(token === undefined ? 'hello' : JSON.stringify({ token })))
    socket.on('message', (data) => {
      resolve(String(data) === '{"ready":true}' ? 'ready' : 'other')
      socket.terminate()
    })
    socket.on('close', (code) => resolve(String(code)))
    socket.on('error', () => resolve('refused'))
  })
}
