import { describe, expect, it } from 'vitest'
import { checkAnswer } from '#host/headless/answer-schema.ts'
import { reportWhenQuiet } from '#host/headless/run-report.ts'
import { beginTask } from '#host/headless/run-task.ts'
import type { ApiRequest } from '../e2e/model-server/scenario.ts'
import { setAnswerSchema } from '../src/main/core/commands/threads.ts'
import { openWorld } from './world.testkit.ts'

const outputSchema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }
const options = {
  step: false,
  threadId: null,
  task: 'count',
  model: 'claude-sonnet-5-5',
  approvalMode: 'auto-edit',
  agentType: 'main',
  input: undefined,
  outputSchema,
} as const

describe('17: a structured answer', () => {
  it('a: asks the model for it with the API’s own schema', async () => {
    const { project, server } = await openWorld(() => ({ text: '{"total": 6}' }))
    const id = beginTask(project, options)
    const report = await checkAnswer(project, await reportWhenQuiet(project, id), false)
    expect(report).toMatchObject({ status: 'done', answer: '{"total": 6}' })
    expect((server.requests[0] as ApiRequest & { output_config?: unknown }).output_config).toEqual({
      format: { type: 'json_schema', schema: { ...outputSchema, additionalProperties: false } },
    })
  })

  it.each([
    ['a fence', '```json\n{"total": 6}\n```'],
    ['prose around a fence', 'Here it is:\n\n```json\n{"total": 6}\n```\nDone.'],
    ['several fences, of which the last one fits', '```json\n{"a": 1}\n```\n```\n{"total": 6}\n```'],
  ])('b: is taken from %s, with one request', async (_, text) => {
    const { project, server } = await openWorld(() => ({ text }))
    const id = beginTask(project, options)
    const report = await checkAnswer(project, await reportWhenQuiet(project, id), false)
    expect([report.status, report.answer, server.requests.length]).toEqual(['done', '{"total": 6}', 1])
  })

  it('c: is repaired once, and then refused with what is wrong', async () => {
    const { project, server } = await openWorld(() => ({ text: '```json\n{"total": "six"}\n```' }))
    const id = beginTask(project, options)
    const report = await checkAnswer(project, await reportWhenQuiet(project, id), false)
    expect(report).toMatchObject({
      status: 'failed',
      reason: 'invalid_answer',
      message: expect.stringContaining('total'),
    })
    expect(server.requests).toHaveLength(2)
  })

  it('d: keeps its schema over a pause, until the next task replaces it', async () => {
    const { project, server } = await openWorld(({ messages }) =>
      messages.length < 3 ? { calls: [{ name: 'ls', id: 'l', input: {} }] } : { text: '{"total": 1}' },
    )
    const id = beginTask(project, { ...options, step: true })
    await reportWhenQuiet(project, id)
    project.runtime.resume(id, { step: false })
    const report = await checkAnswer(project, await reportWhenQuiet(project, id), false)
    expect(report.answer).toBe('{"total": 1}')
    expect(JSON.stringify(server.requests.at(-1))).toContain('json_schema')
    project.run(setAnswerSchema(project.services, { threadId: id, answerSchema: null }))
    project.runtime.send(id, [{ type: 'text', text: 'and now?' }], 'queue')
    await reportWhenQuiet(project, id)
    expect(JSON.stringify(server.requests.at(-1))).not.toContain('json_schema')
  })
})
