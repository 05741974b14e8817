import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openTestHost } from '../../src/main/host/test-host.fixture.ts'
import { startModelServer } from '../model-server/model-server.ts'
import { byTask } from '../model-server/scenario.ts'

/** What an agent is told before its conversation, as the provider receives it. */
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-prompt-'))

async function world() {
  const server = await startModelServer(byTask({ main: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] }))
  open.push(server)
  const place = folder()
  writeFileSync(join(place, 'AGENTS.md'), 'Use tabs.')
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const host = await openTestHost(folder(), undefined, environment)
  open.push(host)
  const { info } = await host.projects.open(place)
  host.projects.setTrusted(info().id, true)
  const { runtime } = host.projects.get(info().id)
  return { server, place, runtime }
}

it('its system prompt and tools keep their bytes for life; changed instructions come as one message', async () => {
  const { server, place, runtime } = await world()
  const threadId = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
  const say = async (text: string) => {
    runtime.send(threadId, [{ type: 'text', text }], 'queue')
    await runtime.quiet(threadId)
  }
  await say('main')
  writeFileSync(join(place, 'AGENTS.md'), 'Use spaces.')
  await say('again')
  await say('and again')
  const [first, second, third] = server.requests
  expect(JSON.stringify(first?.system)).toContain('Use tabs.')
  for (const later of [second, third]) {
    expect([later?.system, later?.tools]).toEqual([first?.system, first?.tools])
    const told = later?.messages.filter((message) => JSON.stringify(message).includes('Use spaces.'))
    expect(told).toHaveLength(1)
  }
})

it('says what an agent must know in less than 2,000 tokens', async () => {
  const { server, runtime } = await world()
  const threadId = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
  runtime.send(threadId, [{ type: 'text', text: 'main' }], 'queue')
  await runtime.quiet(threadId)
  const system = JSON.stringify(server.requests[0]?.system)
  const guidance = system.slice(0, system.indexOf('# Instructions of the project'))
  // English prose is above four characters a token for every tokenizer of the model's line.
  expect(guidance.length / 4).toBeLessThan(2000)
  for (const must of [
    'Paths start with /',
    'todo list',
    'Never make up what a file contains',
    'Do not delegate',
    'spawn it with a complete task',
    'merge_subagent',
    'discard_subagent',
    'sees nothing of this conversation',
    'independent tools in one reply',
    'never secrets',
    'reply without tool calls',
  ])
    expect(guidance).toContain(must)
})
