import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { familyOf } from '#shared/model/project-state.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import type { Scenario } from '../e2e/model-server/scenario.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-budgets-'))

/** The default model has a known price, so that money can be counted. */
async function run(scenario: Scenario, budgets: object, model = 'claude-haiku-4-5') {
  const server = await startModelServer(scenario)
  open.push(server)
  const data = folder()
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ budgets }))
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const host = await openTestHost(data, undefined, environment)
  open.push(host)
  const { runtime, services } = await host.projects.open(folder())
  const threadId = runtime.createThread({ title: 'main', model, approvalMode: 'auto-edit' })
  const say = async () => {
    runtime.send(threadId, [{ type: 'text', text: 'main' }], 'queue')
    await runtime.whenIdle(threadId)
    return readThread(services.log, threadId)
  }
  return { server, say, family: () => familyOf(services.log.state, threadId) }
}

/** At $1 for a million input tokens, each call costs 10 cents. */
const usage = { input_tokens: 100_000 }
const forever: Scenario = () => ({ calls: [{ name: 'ls', input: {} }], usage })

it('a run ends before a request that its money does not cover, and the next run has its own budget', async () => {
  const { server, say } = await run(forever, { run: { cost: 0.25 } })
  const first = await say()
  expect([first?.end?.status, first?.end?.reason, server.requests.length]).toEqual(['stopped', 'budget', 3])
  expect(first?.end?.message).toContain('the budget of this run is spent ($0.25)')
  expect(first?.costLimit).toBe(0.25)
  await say()
  expect(server.requests).toHaveLength(6)
})
