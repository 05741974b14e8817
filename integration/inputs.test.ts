import { join } from 'node:path'
import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { readInput } from '#host/inputs/read-input.ts'
import { textOf } from '#shared/model/message.ts'
import { type ApiRequest, lastResults, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { pdfOf } from '../src/main/adapters/pdf/pdf-document.testkit.ts'
import { beginTask } from '../src/main/host/headless/run-task.ts'
import { openWorld } from './world.testkit.ts'

const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64')

/** Reads every input that the task names, then ends. */
const readsInputs: Scenario = (request) => {
  const paths = [...JSON.stringify(request.messages).matchAll(/Input data is in (\S+) /g)].map((found) => found[1])
  if (turnOf(request) % 2 === 1) return { text: 'Read.' }
  return { calls: [...new Set(paths)].map((file_path) => ({ name: 'read_file', input: { file_path } })) }
}

const resultsOf = (request: ApiRequest | undefined): string =>
  request ? [...lastResults(request).values()].join('\n') : ''

describe('files that a person attaches', () => {
  it('are told to the agent by path and shape, and can be read by it', async () => {
    const { host, project, server, thread } = await openWorld(readsInputs)
    const message = { projectId: project.info().id, threadId: null, text: 'Compare them.', model: 'scripted' }
    const inputs = [
      { name: 'sales 2024.csv', data: base64('month,total\nMay,3\nJune,4\n') },
      { name: 'report.pdf', data: base64(pdfOf(['Total 42'])) },
      { name: 'facts.json', data: base64('{"currency":"EUR"}') },
    ]
    const { threadId } = await call(host.router.threads.send, { ...message, inputs })
    await project.runtime.whenIdle(threadId)
    const [first] = thread(threadId).messages
    const told = first ? textOf(first.content) : ''
    expect(told).toContain('Input data is in /inputs/sales-2024.csv (2 columns, 2 rows, separated by commas).')
    expect(told).toContain('Input data is in /inputs/report.pdf.txt (text of a PDF, 1 page')
    expect(told).toContain('- currency: "EUR"')
    const read = resultsOf(server.requests[1])
    for (const content of ['June,4', 'Total 42', '"currency": "EUR"']) expect(read).toContain(content)
  })

  it('never replace each other, and equal ones are stored once', async () => {
    const { host, project, thread } = await openWorld(readsInputs)
    const target = { projectId: project.info().id, model: 'scripted' }
    const attach = (content: string) => [{ name: 'a.txt', data: base64(content) }]
    const message = { ...target, threadId: null, text: 'One', inputs: attach('one') }
    const { threadId } = await call(host.router.threads.send, message)
    await project.runtime.whenIdle(threadId)
    for (const content of ['two', 'one']) {
      await call(host.router.threads.send, { ...target, threadId, text: 'Next', inputs: attach(content) })
      await project.runtime.whenIdle(threadId)
    }
    const said = thread(threadId).messages.flatMap((message) =>
      message.role === 'user' ? [/in (\S+) \(/.exec(textOf(message.content))?.[1]] : [],
    )
    expect(said).toEqual(['/inputs/a.txt', '/inputs/a-2.txt', '/inputs/a.txt'])
  })

  it('that cannot be read are refused before anything is sent', async () => {
    const { host, project, server } = await openWorld(readsInputs)
    const broken = [{ name: 'a.json', data: base64('{"a": }') }]
    const message = { projectId: project.info().id, threadId: null, text: 'Go', model: 'scripted', inputs: broken }
    const refusal = 'a.json: It is not JSON: Expected a value in line 1, column 7.'
    await expect(call(host.router.threads.send, message)).rejects.toThrow(refusal)
    await expect(call(host.router.threads.checkInput, { name: 'a.json', data: base64('{"a": }') })).rejects.toThrow(
      refusal,
    )
    expect(server.requests).toEqual([])
    expect(project.services.log.state.threads.size).toBe(0)
  })

  it('are the same on the command line', async () => {
    const { project, thread } = await openWorld(readsInputs)
    const bytes = new TextEncoder().encode('a;b\n1;2\n')
    const input = await readInput({ name: join('folder', 'data.csv'), bytes }, async () => [])
    const options = {
      step: false,
      threadId: null,
      model: 'scripted',
      approvalMode: 'auto-edit',
      agentType: 'main',
    } as const
    const id = beginTask(project, { ...options, task: 'Look', input, outputSchema: undefined })
    await project.runtime.whenIdle(id)
    const [first] = thread(id).messages
    expect(first && textOf(first.content)).toContain(
      'Look\n\nInput data is in /inputs/data.csv (2 columns, 1 row, separated by semicolons).',
    )
  })
})
