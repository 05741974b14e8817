import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { byTask, type Call } from '../../e2e/model-server/scenario.ts'
import { environment } from '../../e2e/support/coppice.ts'
import { startProgram, untilFree, type World, world } from './editor.testkit.ts'

const write = (id: string, path: string, content: string): Call => ({
  ...{ name: 'write_file', id, input: { file_path: path, content } },
})
const program = join(import.meta.dirname, '../../src/main/cli/index.ts')

/** Another agent: the client of the protocol's own library, and the real program. */
async function openAgent({ folder, data, key }: World, ...flags: readonly string[]) {
  const client = new Client({ name: 'another agent', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', folder, '--data-dir', data, ...flags],
    env: environment(key) as Record<string, string>,
    stderr: 'pipe',
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  async function call(name: string, args: Record<string, unknown> = {}): Promise<Answered> {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: args })
    const [first] = content
    if (isError) return { error: first?.type === 'text' ? first.text : '' }
    return structuredContent as Answered
  }
  return { client, call, transport }
}

type Answered = Readonly<Record<string, unknown>>

it('another agent starts a task, looks at what came of it, and can approve and apply nothing', async () => {
  const place = await world(
    byTask({
      lead: [
        {
          calls: [
            { name: 'spawn_subagents', id: 's', input: { tasks: [{ description: 'left' }, { description: 'right' }] } },
          ],
        },
        { calls: [write('m', '/a.txt', 'lead\n')] },
        { text: 'Done.' },
      ],
      left: [{ calls: [write('w', '/b.txt', 'left\n')] }, { text: 'left done' }],
      right: [{ calls: [write('w', '/b.txt', 'right\n')] }, { text: 'right done' }],
      leave: [
        { calls: [{ name: 'execute', id: 'x', input: { command: 'curl https://host.example.com' } }] },
        { text: 'no' },
      ],
    }),
    { checks: [{ name: 'small', run: 'test "$(cat a.txt)" = lead' }] },
  )
  const { client, call } = await openAgent(place)
  const { tools } = await client.listTools()
  expect(tools.map(({ name, annotations }) => `${name} ${annotations?.readOnlyHint}`)).toEqual([
    ...['start_task false', 'list_threads true', 'thread_status true', 'list_branches true', 'diff true'],
    ...['merge_preview true', 'get_patch true', 'run_checks false'],
  ])
  expect(
    tools.every(({ inputSchema, outputSchema }) => inputSchema.type === 'object' && outputSchema !== undefined),
  ).toBe(true)

  const done = await call('start_task', { task: 'lead', wait_seconds: 60 })
  expect(done).toMatchObject({
    status: 'done',
    answer: 'Done.',
    files: [{ path: '/a.txt' }],
    files_changed: 1,
    waiting: [],
  })
  const { thread_id } = done
  expect(await call('list_threads')).toMatchObject({ threads: [{ thread_id, title: 'lead', status: 'done' }] })
  const { branches } = (await call('list_branches', { thread_id })) as { branches: readonly object[] }
  expect(branches).toHaveLength(2)
  expect(await call('diff', { thread_id })).toMatchObject({
    patch_is_cut: false,
    patch: expect.stringContaining('+lead'),
  })
  expect(await call('diff', { thread_id, branch: 'subagent_0' })).toMatchObject({ files: [{ path: '/b.txt' }] })
  expect(await call('merge_preview', { thread_id })).toMatchObject({
    branches: [
      { handle: 'subagent_0', ready: 1, conflicts: [], rivals: [{ path: '/b.txt' }] },
      { handle: 'subagent_1', ready: 1, conflicts: [] },
    ],
  })
  expect(await call('get_patch', { thread_id })).toMatchObject({
    files: 1,
    patch: expect.stringMatching(/^diff --git a\/a\.txt/m),
  })
  expect(await call('run_checks', { thread_id })).toMatchObject({
    checks: [{ name: 'small', outcome: 'green', exit_code: 0 }],
  })

  const waiting = await call('start_task', { task: 'leave', mode: 'ask', wait_seconds: 60 })
  expect(waiting).toMatchObject({
    status: 'needs_you',
    waiting: [{ tool: 'execute' }],
    next: expect.stringContaining('coppice resume'),
  })
  expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n')

  expect(await call('diff', { thread_id: 'no-such' })).toMatchObject({ error: expect.stringContaining('list_threads') })
  expect(await call('start_task', { task: 'lead', mode: 'auto' })).toMatchObject({
    error: expect.stringContaining('asks less often'),
  })
  expect(await call('run_checks', { thread_id, names: ['none'] })).toMatchObject({
    error: expect.stringContaining('Checks: small'),
  })
  expect(await call('diff', { thread_id, branch: 'nobody' })).toMatchObject({
    error: expect.stringContaining('There is no branch nobody'),
  })

  // The threads of another project are not there, whatever their ids.
  const other = join(place.data, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'x'), '')
  const elsewhere = await openAgent({ ...place, folder: other })
  expect(await elsewhere.call('list_threads')).toEqual({ threads: [] })
  for (const tool of ['thread_status', 'diff', 'get_patch', 'list_branches', 'merge_preview', 'run_checks'])
    expect(await elsewhere.call(tool, { thread_id }), tool).toMatchObject({
      error: expect.stringContaining('There is no thread'),
    })
})

// Mutation: leave the `orHandOver` out of `call-tool.ts`, or let go of nothing in `let-go.ts`.
it('what another process has open is done by that one, and nobody keeps a project that it does not use', async () => {
  const gate = Promise.withResolvers<void>()
  const place = await world(
    byTask({ long: [{ text: 'long done', after: gate.promise }], short: [{ text: 'short done' }] }),
  )
  const { call } = await openAgent(place)
  expect(await call('start_task', { task: 'short', wait_seconds: 60 })).toMatchObject({ status: 'done' })
  // Free again, although the server goes on.
  await untilFree(place)
  const run = startProgram(['run', place.folder, '--task', 'long', '--data-dir', place.data], place.key)
  run.output.resume()
  await expect.poll(() => place.server.requests.length).toBe(2)
  expect(await call('start_task', { task: 'short', wait_seconds: 60 })).toMatchObject({
    status: 'done',
    answer: 'short done',
  })
  const { threads } = (await call('list_threads')) as { threads: readonly { status: string }[] }
  expect(threads.map(({ status }) => status).sort()).toEqual(['done', 'done', 'working'])
  // A call of a shell gets one line, and the exit code of its answer.
  const once = startProgram(
    [
      'mcp',
      place.folder,
      '--tool',
      'start_task',
      '--arguments',
      '{"task":"short","wait_seconds":60}',
      '--data-dir',
      place.data,
    ],
    place.key,
  )
  expect(await once.ended).toBe(0)
  expect(JSON.parse(String(once.output.read()))).toMatchObject({ result: { status: 'done', answer: 'short done' } })
  gate.resolve()
  expect(await run.ended).toBe(0)
})
