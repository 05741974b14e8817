import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { byTask } from '../e2e/model-server/scenario.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/** The part of its parent's conversation that a subagent sees, for each value of the environment variable. */
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const temporary = () => mkdtempSync(join(tmpdir(), 'coppice-quarantine-'))

describe('quarantine', () => {
  it.each([
    ['strict', false, false],
    ['scoped', true, false],
    ['off', true, true],
  ] as const)('%s: plan visible %s, conversation visible %s', async (mode, plan, conversation) => {
    const server = await startModelServer(
      byTask({
        'main CANARY-1': [
          { calls: [{ name: 'write_todos', input: { todos: [{ content: 'CANARY-2', status: 'pending' }] } }] },
          { calls: [{ name: 'task', input: { description: 'child: report' } }] },
          { text: 'ok' },
        ],
        child: [{ text: 'reported' }],
      }),
    )
    open.push(server)
    const host = await openTestHost(temporary(), undefined, {
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: server.url,
      COPPICE_QUARANTINE_MODE: mode,
    })
    open.push(host)
    const { runtime } = await host.projects.open(temporary())
    const options = { title: 'main', model: 'scripted', approvalMode: 'auto-edit' } as const
    await runtime.whenIdle(runtime.begin(options, () => [{ type: 'text', text: 'main CANARY-1' }]))
    const child =
      server.requests.map((request) => JSON.stringify(request)).find((text) => text.includes('You are a subagent')) ??
      ''
    expect([child.includes('CANARY-2'), child.includes('CANARY-1')]).toEqual([plan, conversation])
    expect(child).not.toContain('"name":"spawn_subagents"')
  })
})
