import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { NotifyTarget } from '#shared/contract/views/settings.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { createEventHub } from './event-hub.ts'
import { createNotifier } from './notifier.ts'

const id = 'thread' as ThreadId

function open(target: NotifyTarget | null, patienceAtEndMs = 10_000) {
  const events = createEventHub(() => [])
  const folder = mkdtempSync(join(tmpdir(), 'coppice-notify-'))
  const problems: unknown[] = []
  const notifier = createNotifier({
    events,
    project: 'shop',
    threads: () => new Map([[id, { title: 'Mend sk-abcdefghijklmnopqrstuvwxyz', parent: null } as ThreadState]]),
    findTarget: () => target,
    workingFolder: folder,
    environment: () => process.env,
    report: (problem, error) => problems.push(`${problem}: ${error}`),
    patienceAtEndMs,
  })
  let sequence = 0
  const publish = (event: object) => {
    sequence += 1
    events.publish({ threadId: id, at: 1_000, sequence, ...event } as CoppiceEvent)
  }
  return { notifier, publish, folder, problems }
}

const raised = (name: string, args: object) => ({
  type: 'interrupt.raised',
  interrupt: { id: 'i', agent: 'main', threadId: id, action_requests: [{ callId: 'c', name, args }] },
})
const ended = (status: string, reason = 'completed', message = '') => ({ type: 'run.ended', status, reason, message })

/** Mutation: with the arguments in place of the sentence of the card, the content of the file is told. */
it('a program hears of what needs the person and of ends, in order, without contents and secrets', async () => {
  const script = 'const { appendFileSync, readFileSync } = require("node:fs"); appendFileSync("heard", readFileSync(0))'
  const { notifier, publish, folder, problems } = open({ kind: 'command', command: [process.execPath, '-e', script] })
  publish(raised('write_file', { file_path: '/src/a.ts', content: 'canary of a file' }))
  publish(raised('execute', { command: 'echo canary' }))
  publish(raised('agent_command', { title: '`echo canary`', command: 'echo canary' }))
  publish(raised('ask_user', { questions: [{ question: 'Which port?' }] }))
  publish(ended('interrupted', 'interrupt'))
  publish(ended('interrupted', 'step'))
  publish(ended('interrupted', 'goal', 'The goal is not reached.'))
  publish(ended('done'))
  await notifier[Symbol.asyncDispose]()
  const heard = readFileSync(join(folder, 'heard'), 'utf8')
  const told = heard
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(told.map(({ event, text }) => [event, text])).toEqual([
    ['needs_you', 'Write /src/a.ts.'],
    ['needs_you', 'Run a command in a throw-away view of the branch.'],
    ['needs_you', 'Run a command.'],
    ['needs_you', 'Which port?'],
    ['needs_you', 'The goal is not reached.'],
    ['done', 'It is done.'],
  ])
  expect(told[0]).toMatchObject({ project: 'shop', thread: id, title: 'Mend [redacted]', agent: 'main' })
  expect([heard.includes('canary'), problems]).toEqual([false, []])
})

it('an address gets the same, and what fails is named once and stops nothing', async () => {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString())
    response.writeHead(bodies.length === 3 ? 200 : 500).end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { notifier, publish, problems } = open({
    kind: 'url',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`,
  })
  for (let time = 0; time < 40; time += 1) publish(ended('failed'))
  await notifier[Symbol.asyncDispose]()
  server.close()
  // More than a person could read is left out.
  expect(bodies).toHaveLength(20)
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ event: 'failed', title: 'Mend [redacted]' })
  expect(problems).toEqual([
    expect.stringMatching(/the setting notify does not work: Error: 127\.0\.0\.1:\d+ answered with status 500/),
    expect.stringContaining('status 500'),
  ])
})

// Mutation: without `patienceAtEndMs`, closing waits ten seconds for each message that nobody takes.
it('a project is closed although nobody takes what is told', async () => {
  let asked = 0
  const server = createServer(() => {
    asked += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { notifier, publish, problems } = open({ kind: 'url', url }, 300)
  for (let time = 0; time < 5; time += 1) publish(ended('done'))
  await notifier[Symbol.asyncDispose]()
  server.close()
  server.closeAllConnections()
  expect(asked).toBeLessThan(2)
  expect(problems).toEqual([])
})

// Mutation: without `withoutLogin`, `fetch` refuses the address, and its error has the password in the log.
it('a login in an address goes into a header, and nobody reads it in a problem', async () => {
  const heard: unknown[] = []
  const server = createServer((request, response) => {
    heard.push([request.url, request.headers.authorization])
    response.writeHead(500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { notifier, publish, problems } = open({ kind: 'url', url: `http://me:p%40ss@127.0.0.1:${port}/x` })
  publish(ended('done'))
  await notifier[Symbol.asyncDispose]()
  server.close()
  expect(heard).toEqual([['/x', `Basic ${Buffer.from('me:p@ss').toString('base64')}`]])
  expect(problems).toEqual([expect.stringMatching(/: Error: 127\.0\.0\.1:\d+ answered with status 500$/)])
})

it('nobody is told without the setting, and a program that is not there is named', async () => {
  const none = open(null)
  none.publish(ended('done'))
  await none.notifier[Symbol.asyncDispose]()
  const missing = open({ kind: 'command', command: ['/no/such/program'] })
  missing.publish(ended('done'))
  await missing.notifier[Symbol.asyncDispose]()
  expect([none.problems, missing.problems]).toEqual([
    [],
    [expect.stringContaining('/no/such/program could not be started')],
  ])
})

it('a program that hangs is ended', async () => {
  const { tellProgram } = await import('#adapters/programs/tell.ts')
  const folder = mkdtempSync(join(tmpdir(), 'coppice-notify-'))
  writeFileSync(join(folder, 'hang.cjs'), 'setInterval(() => {}, 1000)')
  const telling = {
    workingFolder: folder,
    environment: process.env,
    signal: new AbortController().signal,
    patienceMs: 300,
  }
  await expect(tellProgram([process.execPath, 'hang.cjs'], {}, telling)).rejects.toThrow('took longer than 0 s')
})
