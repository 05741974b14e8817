import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { watchAnswers } from '#host/headless/answer-schema.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { answerOf } from '#shared/model/thread.ts'
import type { Scenario } from '../e2e/model-server/scenario.ts'
import { openWorld } from './world.testkit.ts'

const outputSchema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }

interface Message {
  readonly text: string
  readonly threadId?: ThreadId | null
  readonly outputSchema?: JsonObject
}

/** A window that sends messages and waits until the agent is quiet. */
async function openWindow(scenario: Scenario) {
  const world = await openWorld(scenario)
  const { host, project } = world
  watchAnswers(project)
  const { threads } = host.router
  const { id: projectId } = project.info()
  return {
    ...world,
    threads,
    projectId,
    async send({ threadId = null, ...message }: Message) {
      const sent = await call(threads.send, { projectId, threadId, model: 'scripted', ...message })
      await project.runtime.whenIdle(sent.threadId)
      return sent.threadId
    },
  }
}

describe('a thread with a schema, in a window', () => {
  it('has its answer repaired once, by a notice and not in the name of the person', async () => {
    const { server, send, thread, threads, projectId } = await openWindow((_, { count }) => ({
      text: count === 0 ? 'It is six.' : '{"total": 6}',
    }))
    const threadId = await send({ text: 'Count', outputSchema })
    await expect.poll(() => answerOf(thread(threadId))).toBe('{"total": 6}')
    const { messages } = thread(threadId)
    expect(messages.map((message) => (message.role === 'user' ? message.origin : 'reply'))).toEqual([
      'person',
      'reply',
      'notice',
      'reply',
    ])
    expect(JSON.stringify(server.requests[1]?.messages)).toContain('Your answer does not fit the schema')
    const messageId = messages.at(-1)?.messageId ?? ('' as never)
    const check = await call(threads.checkAnswer, { projectId, threadId, messageId })
    expect(check).toEqual({ json: '{"total": 6}', problem: null })
  })

  it('is asked for a repair only once, and says then what is wrong', async () => {
    const { project, server, send, thread, threads, projectId } = await openWindow(() => ({ text: '{"total": "six"}' }))
    const threadId = await send({ text: 'Count', outputSchema })
    await expect.poll(() => thread(threadId).messages.length).toBe(4)
    await project.runtime.whenIdle(threadId)
    expect(server.requests).toHaveLength(2)
    const messageId = thread(threadId).messages.at(-1)?.messageId ?? ('' as never)
    const check = await call(threads.checkAnswer, { projectId, threadId, messageId })
    expect(check).toMatchObject({ json: null, problem: expect.stringContaining('total') })
  })

  it('keeps it for later messages, until a person takes it away', async () => {
    const { server, send, thread, threads, projectId } = await openWindow(() => ({ text: '{"total": 1}' }))
    const threadId = await send({ text: 'One', outputSchema })
    await send({ text: 'Two', threadId })
    expect(JSON.stringify(server.requests.at(-1)?.messages.at(-1))).toContain('Two\\n\\nWhen you are done')
    expect(thread(threadId).answerSchema).toEqual(outputSchema)
    await call(threads.configure, { projectId, threadId, outputSchema: null })
    await send({ text: 'Three', threadId })
    expect(JSON.stringify(server.requests.at(-1)?.messages.at(-1))).not.toContain('JSON Schema')
    expect(thread(threadId).answerSchema).toBeNull()
  })

  it('refuses a schema that cannot be used, before anything is sent', async () => {
    const { server, send, threads } = await openWindow(() => ({ text: 'never' }))
    const broken = { type: 'nope' }
    await expect(send({ text: 'Count', outputSchema: broken })).rejects.toThrow('The output schema cannot be used')
    await expect(call(threads.checkOutputSchema, { schema: broken })).rejects.toThrow('cannot be used')
    expect(server.requests).toEqual([])
  })
})
