import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { createJsonPrograms } from './json-programs.ts'

const never = new AbortController().signal

function open() {
  const environment = { PATH: process.env.PATH ?? '', GREETING: 'hello' }
  const programs = createJsonPrograms({ workingFolder: tmpdir(), environment })
  onTestFinished(() => programs[Symbol.asyncDispose]())
  return programs
}

const node = (code: string): readonly string[] => [process.execPath, '-e', code]
const perLine = (answer: string): readonly string[] =>
  node(`require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => { ${answer} })`)
const echo = perLine(
  'console.log(JSON.stringify({ pid: process.pid, said: JSON.parse(line).say, env: process.env.GREETING, home: process.env.HOME ?? null }))',
)

describe('a program', () => {
  it('answers each question in order, in one process, with only the variables that it was given', async () => {
    const programs = open()
    const ask = (say: number) => programs.ask({ command: echo, message: { say }, timeoutMs: 5_000 }, never)
    const answers = await Promise.all([1, 2, 3].map(ask))
    expect(answers.map(({ said }) => said)).toEqual([1, 2, 3])
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1)
    expect(answers[0]).toMatchObject({ env: 'hello', home: null })
  })

  it('is started again after it ended', async () => {
    const programs = open()
    const once = perLine('console.log(JSON.stringify({ pid: process.pid })); process.exit(0)')
    const ask = () => programs.ask({ command: once, message: {}, timeoutMs: 5_000 }, never)
    const first = await ask()
    // The end of the process is noticed with the next question at the latest.
    const second = await ask().catch(ask)
    expect(second.pid).not.toBe(first.pid)
  })

  it.each([
    ['ends', node('console.error("out of luck"); process.exit(3)'), 'It ended with code 3. out of luck'],
    ['is silent', perLine(''), 'It did not answer within 200 ms.'],
    ['does not exist', ['/no/such/program'], 'It could not be started'],
    ['says a list', perLine('console.log("[1]")'), 'not a JSON object: [1]'],
  ])('that %s is an error in words', async (_, command, message) => {
    await expect(open().ask({ command, message: {}, timeoutMs: 200 }, never)).rejects.toThrow(message)
  })

  it('is left alone when the question is aborted before it starts, and ended when it is aborted later', async () => {
    const programs = open()
    const stop = new AbortController()
    const asked = programs.ask({ command: perLine(''), message: {}, timeoutMs: 60_000 }, stop.signal)
    stop.abort(new Error('enough'))
    await expect(asked).rejects.toThrow()
    await expect(programs.ask({ command: echo, message: {}, timeoutMs: 1 }, stop.signal)).rejects.toThrow('enough')
  })
})

describe('a server', () => {
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  it('gets the message as JSON, and its lines come back', async () => {
    const url = await serve(async (request, response) => {
      const body = JSON.parse((await request.toArray()).join('')) as JsonObject
      response.end(`${JSON.stringify({ event: 'text' })}\n\n${JSON.stringify({ result: body.task ?? null })}\n`)
    })
    expect(await open().post(url, { task: 'x' }, never)).toEqual([{ event: 'text' }, { result: 'x' }])
  })

  it.each<[string, RequestListener, string]>([
    ['refuses', (_, response) => response.writeHead(503).end('busy'), 'It answered with status 503: busy'],
    ['sends elsewhere', (_, response) => response.writeHead(302, { location: '/x' }).end(), 'It cannot be reached'],
    ['talks HTML', (_, response) => response.end('<html>'), 'not a JSON object: <html>'],
    ['breaks off', (request) => request.socket.destroy(), 'It cannot be reached'],
    ['never ends', (_, response) => response.end('x'.repeat(11 * 1024 * 1024)), 'more than 10 MB'],
  ])('that %s is an error in words', async (_, listener, message) => {
    await expect(open().post(await serve(listener), {}, never)).rejects.toThrow(message)
  })
})
