import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { createJsonPrograms } from './json-programs.ts'

const never = new AbortController().signal

function open(projectFolder: string | null = null) {
  const environment = { PATH: process.env.PATH ?? '', GREETING: 'hello' }
  const workingFolder = join(mkdtempSync(join(tmpdir(), 'coppice-programs-')), 'own')
  const programs = createJsonPrograms({ workingFolder, projectFolder, environment: () => environment })
  onTestFinished(() => programs[Symbol.asyncDispose]())
  return programs
}

const node = (code: string): readonly string[] => [process.execPath, '-e', code]
/** Runs the code for each question, with `id` and `say` of the question and `answer`, which repeats the id. */
const perLine = (code: string): readonly string[] =>
  node(`
    const answer = (words, to = id) => console.log(JSON.stringify({ ...words, id: to }))
    let id
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const question = JSON.parse(line)
      const { say } = question
      id = question.id
      ${code}
    })`)
const echo = perLine(
  'answer({ pid: process.pid, said: say, env: process.env.GREETING, home: process.env.HOME ?? null, folder: question.folder, cwd: process.cwd() })',
)

/** A killed process without a parent may wait to be collected, but does nothing any more. */
function isAlive(pid: unknown): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
  return stat !== '' && !/\) Z /.test(stat)
}

describe('a program', () => {
  it('answers each question in order, in one process, with only the variables that it was given', async () => {
    const programs = open()
    const ask = (say: number) => programs.ask({ command: echo, message: { say }, timeoutMs: 5_000 }, never)
    const answers = await Promise.all([1, 2, 3].map(ask))
    expect(answers.map(({ said }) => said)).toEqual([1, 2, 3])
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1)
    expect(answers[0]).toMatchObject({ env: 'hello', home: null })
    expect(answers[0]).not.toHaveProperty('id')
  })

  it('is started again after it ended', async () => {
    const programs = open()
    const once = perLine('answer({ pid: process.pid }); process.exit(0)')
    const ask = () => programs.ask({ command: once, message: {}, timeoutMs: 5_000 }, never)
    const first = await ask()
    // The end of the process is noticed with the next question at the latest.
    const second = await ask().catch(ask)
    expect(second.pid).not.toBe(first.pid)
  })

  it('may report events at any time, and none of them is taken for an answer', async () => {
    const programs = open()
    const talkative = node(`
      console.log('{"event":"ready"}')
      ${perLine('console.log(JSON.stringify({ event: "thinking" })); answer({ said: say })').at(-1)}`)
    const ask = (say: string) => programs.ask({ command: talkative, message: { say }, timeoutMs: 5_000 }, never)
    expect(await ask('first')).toEqual({ said: 'first' })
    expect(await ask('second')).toEqual({ said: 'second' })
  })

  it.each([
    ['without an id', 'console.log(JSON.stringify({ said: say }))', 'without the id'],
    ['with the id of another question', 'answer({ said: say }, id - 1)', 'without the id'],
  ])('that answers %s fails, and is started again for the next question', async (_, wrong, message) => {
    const programs = open()
    const command = perLine(`if (say === 'wrong') { ${wrong} } else answer({ pid: process.pid })`)
    const ask = (say: string) => programs.ask({ command, message: { say }, timeoutMs: 5_000 }, never)
    const before = await ask('right')
    const [failed, after] = await Promise.allSettled([ask('wrong'), ask('right')])
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining(message) } })
    expect(after).toMatchObject({ status: 'fulfilled', value: { pid: expect.any(Number) } })
    expect(after).not.toMatchObject({ value: before })
  })

  it('that says more than its answer fails, so that the rest is not taken for the next answer', async () => {
    const programs = open()
    const command = perLine('answer({ pid: process.pid }); answer({ pid: "stale" })')
    const ask = () => programs.ask({ command, message: {}, timeoutMs: 5_000 }, never)
    const first = await ask()
    // The second line comes before or after the next question. It never answers it.
    const second = await ask().catch(ask)
    expect([first.pid, second.pid]).not.toContain('stale')
  })

  it.each([
    ['ends', node('console.error("out of luck"); process.exit(3)'), 'It ended with code 3. out of luck'],
    ['is silent', perLine(''), 'It did not answer within 200 ms.'],
    ['does not exist', ['/no/such/program'], 'It could not be started'],
    ['has no name', [''], 'It could not be started'],
    ['says a list', perLine('console.log("[1]")'), 'not a JSON object: [1]'],
  ])('that %s is an error in words', async (_, command, message) => {
    const timeoutMs = message.includes('200 ms') ? 200 : 10_000
    await expect(open().ask({ command, message: {}, timeoutMs }, never)).rejects.toThrow(message)
  })

  it('is left alone when the question is aborted before it starts', async () => {
    const programs = open()
    const stopped = AbortSignal.abort(new Error('enough'))
    await expect(programs.ask({ command: echo, message: {}, timeoutMs: 1 }, stopped)).rejects.toThrow('enough')
  })

  it('goes on with the questions of others when one is aborted, and its late answer is dropped', async () => {
    const programs = open()
    const command = perLine(`
      const to = id
      if (say === 'slow') setImmediate(() => answer({ said: say, pid: process.pid }, to))
      else answer({ said: say, pid: process.pid }, to)`)
    const ask = (say: string, signal = never) => programs.ask({ command, message: { say }, timeoutMs: 5_000 }, signal)
    const { pid } = await ask('start')
    const stop = new AbortController()
    const asked = [ask('slow', stop.signal), ask('waiting', stop.signal), ask('other'), ask('another')]
    stop.abort(new Error('enough'))
    expect(await Promise.allSettled(asked)).toMatchObject([
      { status: 'rejected', reason: { message: 'enough' } },
      { status: 'rejected', reason: { message: 'enough' } },
      { status: 'fulfilled', value: { said: 'other', pid } },
      { status: 'fulfilled', value: { said: 'another', pid } },
    ])
  })

  it.each(['is silent', 'ends'])(
    'that %s fails one question, and the others are asked on a new process',
    async (way) => {
      const programs = open()
      const command = perLine(
        `if (say === 'is silent') return; if (say === 'ends') process.exit(1); answer({ said: say, pid: process.pid })`,
      )
      const ask = (say: string, timeoutMs: number) => programs.ask({ command, message: { say }, timeoutMs }, never)
      const first = await ask('first', 5_000)
      const [failed, other] = await Promise.allSettled([ask(way, 200), ask('other', 5_000)])
      expect(failed.status).toBe('rejected')
      expect(other).toMatchObject({ status: 'fulfilled', value: { said: 'other' } })
      expect(other).not.toMatchObject({ value: { pid: first.pid } })
    },
  )

  it('that never ends its line is ended at 10 MB', async () => {
    const command = perLine('const more = () => process.stdout.write("x".repeat(1024 * 1024), more); more()')
    const asked = open().ask({ command, message: {}, timeoutMs: 60_000 }, never)
    await expect(asked).rejects.toThrow('It wrote a line of more than 10 MB.')
  })

  it('has a bounded number of waiting questions', async () => {
    const programs = open()
    const stop = new AbortController()
    const ask = () => programs.ask({ command: perLine(''), message: {}, timeoutMs: 60_000 }, stop.signal)
    const waiting = Promise.allSettled(Array.from({ length: 1_001 }, ask))
    await expect(ask()).rejects.toThrow('1000 questions wait')
    stop.abort()
    await waiting
  })

  it.runIf(process.platform === 'linux').each([
    ['of the app', ''],
    ['of the program', 'process.exit(0)'],
  ])('leaves nothing that it started running after the end %s', async (_, end) => {
    const programs = open()
    const command = perLine(`
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
      answer({ pids: [process.pid, child.pid] })
      ${end}`)
    const { pids } = await programs.ask({ command, message: {}, timeoutMs: 10_000 }, never)
    if (end === '') await programs[Symbol.asyncDispose]()
    await expect.poll(() => (pids as readonly number[]).filter(isAlive)).toEqual([])
  })

  it('is not started after the disposal', async () => {
    const programs = open()
    await programs[Symbol.asyncDispose]()
    await expect(programs.ask({ command: echo, message: {}, timeoutMs: 5_000 }, never)).rejects.toThrow('It was ended')
  })

  it.each([['/some/project'], [null]])('starts in a private folder and is told the folder %s', async (folder) => {
    const answer = await open(folder).ask({ command: echo, message: { folder: 'x' }, timeoutMs: 5_000 }, never)
    expect(answer).toMatchObject({ folder })
    expect(answer.cwd).toMatch(/coppice-programs-.*own$/)
    expect(statSync(String(answer.cwd)).mode & 0o777).toBe(0o700)
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
