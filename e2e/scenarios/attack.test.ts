import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { byTask } from '../model-server/scenario.ts'
import { openWorld } from './world.fixture.ts'

const results = (t: any) =>
  [...t.calls.values()].map((c: any) =>
    `${c.callId} ${c.phase} ${c.result?.outcome} ${JSON.stringify(c.result?.content)}`.slice(0, 300),
  )

it('1 code behind a link to a folder', async () => {
  const w = await openWorld(
    byTask({
      main: [
        {
          calls: [
            { name: 'run_js_code', id: 'a', input: { code: "return await fs.read('/docs/a')" } },
            { name: 'run_js_code', id: 'b', input: { code: "await fs.write('/docs/a', 'x'); return 1" } },
            { name: 'run_js_code', id: 'c', input: { code: "await fs.delete('/docs/a'); return 1" } },
            { name: 'run_js_file', id: 'd', input: { file_path: '/docs/a' } },
            { name: 'move', id: 'e', input: { from: '/docs', to: '/pub' } },
            { name: 'grep', id: 'f', input: { pattern: 'CAN', path: '/docs/a', output_mode: 'content' } },
          ],
        },
      ],
    }),
    { settings: { permissions: { deny: ['Read(secret/**)', 'Edit(secret/**)'] } }, files: { 'secret/a': 'CANARY' } },
  )
  symlinkSync('secret', join(w.folder, 'docs'))
  const id = await w.run('main')
  console.log('1', results(w.thread(id)), JSON.stringify(w.server.requests).includes('CANARY'))
})

it('3 mode change while waiting', async () => {
  const w = await openWorld(
    byTask({
      main: [
        {
          calls: [
            { name: 'execute', id: 'a', input: { command: 'true' } },
            { name: 'write_file', id: 'b', input: { file_path: '/x', content: 'x' } },
          ],
        },
      ],
    }),
  )
  const id = await w.run('main')
  w.project.services.log.append([{ type: 'thread.configured', threadId: id, model: 'scripted', approvalMode: 'ask' }])
  w.decide(id, [{ type: 'approve', callId: 'a' as ToolCallId }])
  await w.project.runtime.quiet(id)
  console.log('3', results(w.thread(id)), w.thread(id).interrupts)
})

it('4 mode change while a child runs', async () => {
  const w = await openWorld(
    byTask({
      main: [{ calls: [{ name: 'task', id: 't', input: { description: 'child' } }] }],
      child: [
        { calls: [{ name: 'read_file', id: 'r', input: { file_path: '/a' } }], delayMs: 500 },
        {
          calls: [
            { name: 'execute', id: 'a', input: { command: 'echo 1 > ran' } },
            { name: 'write_file', id: 'b', input: { file_path: '/x', content: 'x' } },
          ],
        },
      ],
    }),
    { settings: { permissions: { allow: ['Bash(echo *)'] } }, files: { a: '1' } },
  )
  const { runtime, services } = w.project
  const id = runtime.begin({ title: 'main', model: 'scripted', approvalMode: 'auto' }, () => [
    { type: 'text', text: 'main' },
  ])
  setTimeout(
    () => services.log.append([{ type: 'thread.configured', threadId: id, model: 'scripted', approvalMode: 'plan' }]),
    200,
  )
  await runtime.quiet(id)
  for (const t of services.log.state.threads.values()) console.log('4', t.agent, t.approvalMode, results(t))
})

it('5 tasks_file', async () => {
  const w = await openWorld(
    byTask({
      main: [{ calls: [{ name: 'batch_task', id: 't', input: { tasks_file: '/secret/tasks.jsonl' } }] }],
      CANARY: [{ text: 'hm' }],
    }),
    {
      settings: { permissions: { deny: ['Read(secret/**)'] } },
      files: { 'secret/tasks.jsonl': '{"description":"CANARY"}\n' },
    },
  )
  const id = await w.run('main')
  console.log('5', results(w.thread(id)), JSON.stringify(w.server.requests).includes('CANARY'))
})
it('5b tasks_file secret', async () => {
  const w = await openWorld(
    byTask({
      main: [{ calls: [{ name: 'batch_task', id: 't', input: { tasks_file: '/.env' } }] }],
      CANARY: [{ text: 'hm' }],
    }),
    { files: { '.env': '{"description":"CANARY"}\n' } },
  )
  const id = await w.run('main')
  console.log('5b', results(w.thread(id)), JSON.stringify(w.server.requests).includes('CANARY'))
})

it('6 empty replies', async () => {
  for (const [name, one] of Object.entries({
    empty: {},
    space: { text: ' \n' },
    odd: { text: 'x', stopReason: 'weird' },
    toolnone: { stopReason: 'tool_use' },
  })) {
    const w = await openWorld((_, { count }) => (count === 0 ? one : { text: 'ok' }))
    const id = await w.run('main')
    const first = w.thread(id).end
    w.project.runtime.send(id, [{ type: 'text', text: 'again' }], 'queue')
    await w.project.runtime.quiet(id)
    console.log('6', name, first, w.thread(id).end, JSON.stringify(w.server.requests.at(-1)?.messages))
  }
})

it('7 deny a skill/agents etc shadow', async () => {
  const w = await openWorld(byTask({ main: [{ text: 'x' }] }), {
    trusted: true,
    files: {
      '.claude/agents/general-purpose.md': '---\nname: general-purpose\ndescription: mine\n---\nEVIL',
      '.claude/agents/a.md': '---\nname: same\ndescription: one\n---\nA',
      '.claude/agents/b.md': '---\nname: same\ndescription: two\n---\nB',
      '.claude/agents/c.md': '---\nname: [x\n---\nB',
      '.claude/agents/d.md': 'no front matter',
      '.claude/agents/e.md':
        '---\nname: e\ndescription: e\ntools: Nope, WebFetch\ninterrupt_on: {write_file: {allowed_decisions: [respond]}}\n---\nB',
      '.coppice/agents.yaml': 'subagents:\n  - name: 3\n  - name: y\n    description: y\n    tools: "*"\n',
    },
  })
  await w.run('main')
  const found = await (w.project as any).extensions?.found?.()
  console.log('7', Object.keys(w.project), JSON.stringify(found?.agents, null, 1))
})
