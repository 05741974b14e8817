import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { type ApiRequest, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/** Conversations that grow longer than a model's window. */
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-compaction-'))
const isSummary = (request: ApiRequest) => JSON.stringify(request.system ?? '').includes('You summarise the working')

async function world(scenario: Scenario, settings: object, model = 'scripted') {
  const server = await startModelServer(scenario)
  open.push(server)
  const [place, data] = [folder(), folder()]
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) writeFileSync(join(place, name), `${name} ${line}`.repeat(50))
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const host = await openTestHost(data, undefined, environment)
  open.push(host)
  const project = await host.projects.open(place)
  const threadId = project.runtime.createThread({ title: 'main', model, approvalMode: 'auto-edit' })
  const say = async (text: string) => {
    project.runtime.send(threadId, [{ type: 'text', text }], 'queue')
    await project.runtime.whenIdle(threadId)
  }
  return { server, project, threadId, say }
}

const line = `${'x'.repeat(80)}\n`
const names = ['a', 'b', 'c', 'd', 'e', 'f']
/** Reads one file in each reply. The provider counts a quarter of the request's characters as tokens. */
const reader: Scenario = (request) => {
  const usage = { input_tokens: Math.round(JSON.stringify(request.messages).length / 4) }
  if (isSummary(request)) return { text: 'SUMMARY OF WHAT WAS READ', usage }
  const name = names[readsIn(request)]
  return name ? { calls: [{ name: 'read_file', input: { file_path: `/${name}` } }], usage } : { text: 'Done.', usage }
}
let reads = 0
function readsIn(request: ApiRequest): number {
  reads = turnOf(request) === 0 ? 0 : reads + 1
  return reads
}

it.each([
  ['scripted-1', true],
  ['scripted', false],
])('measures the conversation against the window that the server reports for %s', async (model, isSmall) => {
  const { server, say } = await world(reader, { summarisation: { share: 0.1 } }, model)
  await say('read all files')
  await say('and now?')
  expect(server.requests.some(isSummary)).toBe(isSmall)
})

it('a request that the provider finds too long is summarised and sent again', async () => {
  const { server, project, threadId, say } = await world((request, seen) => {
    const overflows = !isSummary(request) && turnOf(request) === 4 && seen.tries === 0
    if (!overflows) return reader(request, seen)
    const body = { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 9 > 8' } }
    return { fault: { kind: 'status', status: 400, body: JSON.stringify(body) } }
  }, {})
  await say('read all files')
  expect(readThread(project.services.log, threadId as ThreadId)?.end?.status).toBe('done')
  expect(server.requests.filter(isSummary)).toHaveLength(1)
})
