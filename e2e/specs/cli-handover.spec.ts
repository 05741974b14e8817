import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startModelServer } from '../model-server/model-server.ts'
import { coppice, startCoppice } from '../support/coppice.ts'

/** A project that a window has open. Its model writes a file. */
async function openWindow() {
  const place = mkdtempSync(join(tmpdir(), 'coppice-handover-'))
  const [project, data] = [join(place, 'project'), join(place, 'data')]
  mkdirSync(project)
  writeFileSync(join(project, 'a.txt'), 'one\n')
  const server = await startModelServer(({ messages }) =>
    messages.length === 1
      ? { calls: [{ name: 'write_file', input: { file_path: '/b.txt', content: 'two\n' } }] }
      : { text: 'Written.' },
  )
  const keys = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const window = startCoppice(['serve', project, '--port', '0', '--no-open', '--data-dir', data], keys)
  let printed = ''
  for (const stream of [window.stdout, window.stderr]) stream?.on('data', (text) => (printed += String(text)))
  await expect.poll(() => printed).toContain('#token=')
  return {
    ...{ place, project, data, server, window },
    printed: () => printed,
    async [Symbol.asyncDispose]() {
      await ended(window)
      await server[Symbol.asyncDispose]()
    },
  }
}

function ended(child: ChildProcess): Promise<unknown> {
  if (!child.kill()) return Promise.resolve()
  return new Promise((resolve) => child.once('close', resolve))
}

test('a project that a window has open: the window does it, at the terminal of who asked', async () => {
  await using open = await openWindow()
  const { place, project, data } = open
  // Paths are those of the folder where it was typed. It has no key of its own.
  const ran = await coppice(
    ['run', '--task', '-', '--patch', '../result.patch', '--data-dir', '../data'],
    {},
    { cwd: project, input: 'write it' },
  )
  expect(ran.stderr).toContain('This project is open in coppice serve, which does this.')
  expect([ran.code, ran.stdout]).toEqual([0, 'Written.\n'])
  expect(existsSync(join(place, 'result.patch'))).toBe(true)
  expect(JSON.stringify(open.server.requests[0]?.messages)).toContain('write it')

  const diff = await coppice(['diff', 'last', '--json', '--data-dir', data])
  expect(JSON.parse(diff.stdout)).toMatchObject({ files: [{ path: '/b.txt' }] })
  const applied = await coppice(['apply', 'last', '--data-dir', data])
  expect([applied.code, existsSync(join(project, 'b.txt'))]).toEqual([0, true])
  expect(open.printed(), 'the window’s own terminal shows nothing of it').not.toContain('Written')

  const refused = await coppice(['run', project, '--task', 'x', '--max-iterations', '3', '--data-dir', data])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain(
    '--max-iterations cannot be chosen here, because coppice serve has this project open',
  )
})

test('Ctrl+C stops a run that a window does, and the window goes on', async () => {
  await using open = await openWindow()
  open.server.use(() => ({ text: 'word '.repeat(5000), pauseMs: 20 }))
  const { project, data } = open
  let isAsked = false
  const run = await coppice(
    ['run', project, '--task', 'talk', '--json', '--data-dir', data],
    {},
    {
      // A second signal may come when the run has already stopped, and then it would end the command by itself.
      during: (child, stdout) => {
        if (isAsked || !stdout.includes('message.delta')) return
        isAsked = child.kill('SIGINT')
      },
    },
  )
  expect([run.code, run.events.at(-1)?.status]).toEqual([130, 'stopped'])
  expect((await coppice(['diff', 'last', '--data-dir', data])).code).toBe(0)
})

// Mutation: never write what is `missing` in `lendTerminal`, and the last line of a program is an event.
test('a window that is killed or closed while it answers: what a program reads still ends in a report', async () => {
  for (const [signal, code, status] of [
    ['SIGKILL', 1, 'failed'],
    ['SIGTERM', 130, 'stopped'],
  ] as const) {
    await using open = await openWindow()
    open.server.use(() => ({ text: 'word '.repeat(5000), pauseMs: 20 }))
    const { project, data, window } = open
    let isEnding = false
    const run = await coppice(
      ['run', project, '--task', 'talk', '--json', '--data-dir', data],
      {},
      {
        during: (_child, stdout) => {
          if (!isEnding && stdout.includes('message.delta')) isEnding = window.kill(signal)
        },
      },
    )
    const threadId = run.events.find((event) => event.threadId !== undefined)?.threadId
    expect(threadId, signal).toBeDefined()
    expect([run.code, run.events.at(-1)], signal).toEqual([
      code,
      expect.objectContaining({ type: 'run.finished', status, reason: 'restart', threadId }),
    ])
    expect((await coppice(['diff', 'last', '--data-dir', data])).code, signal).toBe(0)
  }
})
