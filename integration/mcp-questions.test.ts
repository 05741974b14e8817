import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import { textOf } from '#shared/model/message.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import { createDirectClient } from '../src/main/host/wiring/direct-client.ts'

/** Questions of servers during the calls of agents, from the server to the person and back. */
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const script = join(import.meta.dirname, '../e2e/support/mcp-server.ts')
const folder = () => mkdtempSync(join(tmpdir(), 'coppice-asking-'))
const book: Scenario = (request) =>
  turnOf(request) === 0 ? { calls: [{ name: 'mcp__inn__book', id: 'one', input: {} }] } : { text: 'Done.' }

async function world(frontend: 'web' | 'cli') {
  const model = await startModelServer(book)
  open.push(model)
  const [place, data] = [folder(), folder()]
  const mcp_servers = { inn: { command: process.execPath, args: [script, 'asking'] } }
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ mcp_servers, permissions: { allow: ['mcp__*'] } }))
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: model.url }
  const host = await openTestHost(data, undefined, environment, undefined, frontend)
  open.push(host)
  const { mcp, runtime, services, info } = await host.projects.open(place)
  await mcp.setTrusted((await mcp.list()).servers[0]?.hash ?? '', true)
  const client = createDirectClient(host)
  const projectId = info().id
  const threadId = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
  runtime.send(threadId, [{ type: 'text', text: 'main' }], 'queue')
  const heard = async () => {
    await runtime.whenIdle(threadId)
    const [call] = readThread(services.log, threadId)?.calls.values() ?? []
    return textOf(resultOf(call)?.content ?? [])
  }
  const questions = () => client.mcp.questions({ projectId })
  const asked = async () => {
    await expect.poll(questions).toHaveLength(1)
    const [question] = await questions()
    if (!question) throw new Error('Nothing is asked.')
    return question
  }
  return { client, projectId, runtime, threadId, heard, questions, asked }
}

it('a person answers, once, and what does not fit is named', async () => {
  const { client, projectId, threadId, asked, heard, questions } = await world('web')
  const question = await asked()
  expect(question).toMatchObject({ server: 'inn', threadId, callId: 'one', kind: 'form', message: 'For whom?' })
  const { id } = question
  const answer = (values: Record<string, string | number>) =>
    client.mcp.answer({ projectId, id, answer: { action: 'accept', values } })
  await expect(answer({ name: 'Ada', guests: 1.5 })).rejects.toThrow('"guests" takes a whole number.')
  await answer({ name: 'Ada', guests: 3 })
  expect(JSON.parse(await heard())).toEqual({ action: 'accept', content: { name: 'Ada', guests: 3 } })
  await expect(answer({ name: 'Eve', guests: 3 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await questions()).toEqual([])
})

it.each(['decline', 'cancel'] as const)('the server hears of a %s as such', async (action) => {
  const { client, projectId, asked, heard } = await world('web')
  const { id } = await asked()
  await client.mcp.answer({ projectId, id, answer: { action } })
  expect(JSON.parse(await heard())).toEqual({ action })
})

// Mutation: leave the signal of the call out of `ask`, and the question stays.
it('a question ends with the run that it belongs to', async () => {
  const { runtime, threadId, asked, questions } = await world('web')
  await asked()
  runtime.stop(threadId)
  await runtime.whenIdle(threadId)
  await expect.poll(questions).toEqual([])
})

it('a run without a window goes on, and the server hears that it was declined', async () => {
  const { heard, questions } = await world('cli')
  expect(JSON.parse(await heard())).toEqual({ action: 'decline' })
  expect(await questions()).toEqual([])
})
