import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startModelServer } from '../model-server/model-server.ts'
import type { Scenario } from '../model-server/scenario.ts'
import { coppice, root, startCoppice } from '../support/coppice.ts'
import { urlOf } from '../support/window.ts'

const fixture = join(root, 'e2e/fixtures/ledger')
const folder = () => mkdtempSync(join(tmpdir(), 'coppice-cli-'))
const key = (url: string) => ({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url })

// What a command line answers has its tests in `integration/command-line`. These are about its process and the built files.

test('the built program prints its version and the help of each command, and a usage error ends it with 2', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  expect((await coppice(['--version'])).stdout.trim()).toBe(version)
  for (const command of ['run', 'resume', 'serve', 'threads', 'export', 'usage', 'doctor']) {
    const help = await coppice([command, '--help'])
    expect(help.code).toBe(0)
    expect(help.stdout).toContain(`coppice ${command}`)
  }
  const { code, stderr } = await coppice(['run', fixture, '--data-dir', folder()])
  expect([code, stderr]).toEqual([2, expect.stringContaining('run needs --task')])
})

test('the demo runs the whole job offline, up to a patch, and its log tells it', async () => {
  const patch = join(folder(), 'demo.patch')
  const data = folder()
  const place = ['run', join(root, 'resources/demo/tally'), '--data-dir', data]
  const result = await coppice([...place, '--task', 'show me', '--model', 'demo', '--approve', 'all', '--patch', patch])
  expect(result.code, result.stderr).toBe(0)
  expect(readFileSync(patch, 'utf8')).toContain('Math.round(expense.amount * 100)')
  const logs = await coppice(['logs', 'last', '--data-dir', data])
  expect(logs.stdout).toContain('format  • Edited /src/format.js')
})

test('Ctrl+C stops at once with exit code 130', async () => {
  await using server = await startModelServer(() => ({ text: 'word '.repeat(50_000), pauseMs: 20 }))
  let stopped = false
  const result = await coppice(['run', fixture, '--task', 'x', '--json', '--data-dir', folder()], key(server.url), {
    during(child, stdout) {
      if (stopped || !stdout.includes('message.delta')) return
      stopped = true
      child.kill('SIGINT')
    },
  })
  expect(result.code).toBe(130)
  expect(result.events.at(-1)).toMatchObject({ type: 'run.finished', status: 'stopped', reason: 'user' })
})

test("a reader that goes away stops the run, and the run's end is stored", async () => {
  const data = folder()
  await using server = await startModelServer(() => ({ text: 'word '.repeat(2000), pauseMs: 5 }))
  const args = ['run', folder(), '--task', 'x', '--json', '--data-dir', data]
  const result = await coppice(args, key(server.url), {
    during: (child, stdout) => void (stdout.includes('message.delta') && child.stdout?.destroy()),
  })
  expect([result.code, result.stderr]).toEqual([130, expect.stringMatching(/^This run stops at \$5\.00.*\n$/)])
  const listed = await coppice(['threads', '--json', '--data-dir', data])
  expect(JSON.parse(listed.stdout)).toMatchObject([{ status: 'stopped' }])
})

/** Runs a command, and then is done. */
const command: Scenario = (_, { count }) =>
  count === 0
    ? { calls: [{ name: 'execute', id: 'c1', input: { command: 'echo once >> log.txt' } }] }
    : { text: 'Finished.' }

test('after a kill while it waits, the same approval is there again, and approving it runs the call once', async () => {
  await using server = await startModelServer(command)
  const data = folder()
  const first = await coppice(['run', fixture, '--task', 'x', '--json', '--data-dir', data], key(server.url), {
    during(running, stdout) {
      if (stdout.includes('interrupt.raised')) running.kill('SIGKILL')
    },
  })
  const threadId = String(first.events[0]?.threadId)
  const raised = first.events.find(({ type }) => type === 'interrupt.raised')?.interrupt as { id: string } | undefined
  const again = await coppice(['resume', threadId, '--json', '--data-dir', data], key(server.url))
  expect(again.code).toBe(3)
  expect(again.events.at(-1)).toMatchObject({ interrupts: [{ id: raised?.id }] })
  const decisions = join(data, 'decisions.json')
  writeFileSync(decisions, JSON.stringify([{ callId: 'c1', type: 'approve' }]))
  const approved = await coppice(
    ['resume', threadId, '--decisions', decisions, '--json', '--data-dir', data],
    key(server.url),
  )
  expect(approved.events.at(-1)).toMatchObject({
    status: 'done',
    changes: { written: ['/log.txt'] },
  })
  const replayed = await coppice(
    ['resume', threadId, '--decisions', decisions, '--json', '--data-dir', data],
    key(server.url),
  )
  expect([replayed.code, replayed.stderr]).toEqual([1, expect.stringContaining('No pending call has the id c1')])
  const patch = await coppice(['export', threadId, '--patch', '-', '--data-dir', data])
  expect(patch.stdout.match(/^\+once$/gm)).toHaveLength(1)
  const journal = await coppice(['export', threadId, '--journal', '-', '--data-dir', data])
  const mutations = journal.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .flatMap(({ agent, callId, mutations = [] }) =>
      mutations.map((mutation: object) => ({ agent, callId, ...mutation })),
    )
  expect(mutations).toEqual([{ agent: 'main', callId: 'c1', kind: 'create', path: '/log.txt' }])
})

test('8: a write to a real folder waits for a person, over a kill too; names and wrong routes are said', async () => {
  await using server = await startModelServer((_, { count }) =>
    count === 0
      ? { calls: [{ name: 'write_file', id: 'c1', input: { file_path: '/letters/a.md', content: 'Dear reader' } }] }
      : { text: 'Finished.' },
  )
  const [data, letters] = [folder(), folder()]
  const routes = {
    '/letters/': { kind: 'folder', path: letters, write: 'ask' },
    '/src/': { kind: 'store', scope: 'user' },
    '/gone/': { kind: 'folder', path: join(letters, 'gone') },
  }
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ routes, permissions: { allow: ['Write'] } }))
  const args = ['--json', '--data-dir', data]
  const first = await coppice(['run', fixture, '--task', 'x', ...args], key(server.url), {
    during(running, stdout) {
      if (stdout.includes('interrupt.raised')) running.kill('SIGKILL')
    },
  })
  expect(first.stderr).toContain('The route /src/ is /src-1/ here, because the project has a path of that name.')
  expect(first.stderr).toContain('routes: "/gone/" names')
  expect(readdirSync(letters)).toEqual([])
  const threadId = String(first.events[0]?.threadId)
  const again = await coppice(['resume', threadId, ...args], key(server.url))
  expect(JSON.stringify(again.events.at(-1))).toContain(`writes to the real folder of the user: ${letters}/a.md`)
  expect([again.code, readdirSync(letters)]).toEqual([3, []])
  const decisions = join(data, 'decisions.json')
  writeFileSync(decisions, JSON.stringify([{ callId: 'c1', type: 'approve' }]))
  const approved = await coppice(['resume', threadId, '--decisions', decisions, ...args], key(server.url))
  expect(approved.events.at(-1)).toMatchObject({ status: 'done', changes: { written: [] } })
  expect([readdirSync(letters), readFileSync(join(letters, 'a.md'), 'utf8')]).toEqual([['a.md'], 'Dear reader'])
})

test('lists a killed run as paused, and a running one as working', async () => {
  await using server = await startModelServer(() => ({ text: 'word '.repeat(2000), pauseMs: 20 }))
  const data = folder()
  const listed = async () => JSON.parse((await coppice(['threads', '--json', '--data-dir', data])).stdout)[0]?.status
  let during: Promise<string> | undefined
  await coppice(['run', fixture, '--task', 'x', '--json', '--data-dir', data], key(server.url), {
    during(running, stdout) {
      if (during || !stdout.includes('message.delta')) return
      during = listed().finally(() => running.kill('SIGKILL'))
    },
  })
  expect([await during, await listed()]).toEqual(['working', 'paused'])
})

test('a window in the way is named: the process that holds the project, or the port that is in use', async () => {
  const data = folder()
  const child = startCoppice(['serve', fixture, '--port', '0', '--no-open', '--data-dir', data], {})
  const port = await portOf(child)
  const [second, third] = await Promise.all([
    coppice(['serve', fixture, '--port', '0', '--no-open', '--data-dir', data]),
    coppice(['serve', '--port', String(port), '--no-open', '--data-dir', folder()]),
  ])
  child.kill('SIGKILL')
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining(`process ${child.pid}`)])
  expect([third.code, third.stderr]).toEqual([1, expect.stringContaining(`Port ${port} is in use`)])
})

test('upgrades that no browser sends, and clients that go away, do not end the host', async () => {
  const child = startCoppice(['serve', '--port', '0', '--no-open', '--data-dir', folder()], {})
  const port = await portOf(child)
  const answers: string[] = []
  for (const url of ['//', '//[', 'http://[', '/rpc?x', '*', '/%'])
    answers.push(await shake(port, url, false), await shake(port, url, true))
  expect(answers.filter((answer) => !/^(HTTP\/1\.1 40[03].*)?$/.test(answer))).toEqual([])
  expect(await shake(port, '/elsewhere', false)).toContain('403')
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
})

/** The first line of the answer to an upgrade. `leave` resets the connection and does not wait for the answer. */
function shake(port: number, url: string, leave: boolean): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => {
      const headers = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
      socket.write([`GET ${url} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, '', ''].join('\r\n'))
      if (leave) socket.resetAndDestroy()
    })
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer.split('\r\n', 1)[0] ?? ''))
  })
}

/** The port of a started `coppice serve`. */
async function portOf(child: ChildProcess): Promise<number> {
  return Number(new URL(await urlOf(child)).port)
}
