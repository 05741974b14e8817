import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { scriptedAgent } from './external-agent.testkit.ts'
import { openWorld } from './world.testkit.ts'

async function open(settings: object = {}, definition: object = {}) {
  const scripted = { name: 'scripted', description: 'Does what it is told.', acp: 'node agent.mjs', ...definition }
  const world = await openWorld(() => ({ text: '' }), {
    files: { 'agent.mjs': scriptedAgent, 'a.txt': 'one\n', 'b.txt': 'two\n' },
    settings: { subagents: [scripted], ...settings },
    openSandbox: () => openSandbox([]),
  })
  const { runtime } = world.project
  return {
    ...world,
    async ask(steps: readonly object[] | string, approvalMode: ApprovalMode = 'auto'): Promise<ThreadId> {
      const text = typeof steps === 'string' ? steps : JSON.stringify(steps)
      const content = [{ type: 'text', text }] as const
      const id = runtime.begin({ title: 'job', model: 'scripted', approvalMode, agentType: 'scripted' }, () => content)
      await runtime.whenIdle(id)
      return id
    },
    async say(id: ThreadId, steps: readonly object[] | string): Promise<void> {
      runtime.send(id, [{ type: 'text', text: typeof steps === 'string' ? steps : JSON.stringify(steps) }], 'queue')
      await runtime.whenIdle(id)
    },
    callsOf: (id: ThreadId) =>
      [...world.thread(id).calls.values()].map((call) => ({
        name: call.name,
        title: call.input.title,
        outcome: resultOf(call)?.outcome,
        text: textOf(resultOf(call)?.content ?? []),
        changed: call.changedPaths,
      })),
    said: (id: ThreadId) =>
      world
        .thread(id)
        .messages.flatMap((message) => (message.role === 'assistant' ? [textOf(message.content)] : []))
        .filter((text) => text !== ''),
  }
}

describe('an agent of others', () => {
  it('works in a view of its branch, and what each call changed is stored with it', async () => {
    const world = await open()
    const id = await world.ask([
      { think: 'Hm.' },
      { say: 'I begin.' },
      { do: 'write', path: 'a.txt', text: 'changed\n' },
      { do: 'write', path: 'new/c.txt', text: 'new\n' },
      { do: 'rename', path: 'b.txt', to: 'd.txt' },
      { do: 'shell', command: 'cat a.txt; pwd' },
      { say: 'Done.' },
    ])
    expect(world.thread(id).end).toMatchObject({ status: 'done' })
    expect(world.callsOf(id)).toEqual([
      { name: 'agent_edit', title: 'Write /a.txt', outcome: 'ok', text: '', changed: ['/a.txt'] },
      { name: 'agent_edit', title: 'Write /new/c.txt', outcome: 'ok', text: '', changed: ['/new', '/new/c.txt'] },
      {
        name: 'agent_edit',
        title: 'Rename /b.txt',
        outcome: 'ok',
        text: '',
        changed: expect.arrayContaining(['/b.txt', '/d.txt']),
      },
      { name: 'agent_command', title: 'Shell', outcome: 'ok', text: `changed\n${world.folder}\n`, changed: [] },
    ])
    expect(world.said(id)).toEqual(['I begin.', 'Done.'])
    expect(await world.fileOf(id, '/a.txt')).toBe('changed\n')
    expect(await world.fileOf(id, '/d.txt')).toBe('two\n')
    expect(readFileSync(join(world.folder, 'a.txt'), 'utf8')).toBe('one\n')
  })
})
