import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call } from '@orpc/server'
import type { ModelClient, ModelReply, ModelRequest } from '../../../src/main/core/ports/model-client.ts'
import type { JsonObject } from '../../../src/shared/base/json.ts'
import { batchRows } from '../../../src/shared/model/derived/batch.ts'
import type { ToolCallId } from '../../../src/shared/model/ids.ts'
import { noUsage } from '../../../src/shared/model/usage.ts'
import { heldBytes } from '../support/held-bytes.ts'
import { openLocalHost } from '../support/local-host.ts'
import { timed } from '../support/measure.ts'
import { scriptedRuntime } from './scripted-runtime.ts'

/** The cost of a batch, apart from the model, which answers from memory. */
export interface BatchFigures {
  /** Milliseconds of processor time of the whole process for each task. */
  readonly cpuEach: number
  /** Megabytes that the process still holds for each task after the batch. */
  readonly megabytesEach: number
  /** Milliseconds to merge all branches. */
  readonly mergeAll: number
}

const batchId = 'batch' as ToolCallId
const filesRead = ['/a.txt', '/b.txt', '/c.txt']

/** Goal 10: runs `tasks` subagents, which each read three files, write one and answer. All are merged at the end. */
export async function measureBatch(folder: string, tasks: number): Promise<BatchFigures> {
  const place = join(folder, 'project')
  mkdirSync(place, { recursive: true })
  for (const path of filesRead) writeFileSync(join(place, path), `${path}\n`.repeat(50))
  await using host = await openLocalHost(join(folder, 'data'))
  const project = await host.projects.open(place)
  const { log } = project.services
  await using runtime = scriptedRuntime(project.services, batchModel(tasks))
  const held = await heldBytes()
  const spent = process.cpuUsage()
  const threadId = runtime.createThread({ title: 'Batch', model: 'scripted', approvalMode: 'auto' })
  runtime.send(threadId, [{ type: 'text', text: 'main' }], 'queue')
  await runtime.whenIdle(threadId)
  const [interrupt] = log.state.threads.get(threadId)?.interrupts ?? []
  if (interrupt) runtime.decide(threadId, interrupt.id, [{ type: 'approve', callId: batchId }])
  await runtime.whenIdle(threadId)
  const { user, system } = process.cpuUsage(spent)
  const ended = batchRows(log.state, threadId, batchId).filter(({ status }) => status === 'ok').length
  if (ended !== tasks) throw new Error(`Of ${tasks} tasks ${ended} ended well`)
  const input = { projectId: project.info().id, threadId, callId: batchId }
  return {
    cpuEach: (user + system) / 1000 / tasks,
    megabytesEach: ((await heldBytes()) - held) / 1024 / 1024 / tasks,
    mergeAll: await timed(() => call(host.router.batches.mergeClean, input, { context: {} })),
  }
}

function batchModel(tasks: number): ModelClient {
  return {
    async *stream(request) {
      yield { type: 'reply', reply: firstText(request) === 'main' ? mainReply(request, tasks) : taskReply(request) }
    },
    models: async () => [],
  }
}

function mainReply(request: ModelRequest, tasks: number): ModelReply {
  if (turnOf(request) > 0) return textReply
  const names = Array.from({ length: tasks }, (_, index) => `task ${index}`)
  return callsReply([{ callId: batchId, name: 'batch_task', input: { tasks: names } }])
}

function taskReply(request: ModelRequest): ModelReply {
  const name = firstText(request).replace(' ', '-')
  const id = (what: string) => `${name}-${what}` as ToolCallId
  if (turnOf(request) === 0) {
    return callsReply(
      filesRead.map((file_path) => ({ callId: id(file_path.slice(1, 2)), name: 'read_file', input: { file_path } })),
    )
  }
  if (turnOf(request) > 1) return textReply
  return callsReply([
    { callId: id('write'), name: 'write_file', input: { file_path: `/out/${name}.txt`, content: `${name}\n` } },
  ])
}

interface MadeCall {
  readonly callId: ToolCallId
  readonly name: string
  readonly input: JsonObject
}

function callsReply(calls: readonly MadeCall[]): ModelReply {
  return { content: calls.map((made) => ({ type: 'tool_call', ...made })), stopReason: 'tool_use', usage: noUsage }
}

const textReply: ModelReply = { content: [{ type: 'text', text: 'Done.' }], stopReason: 'end_turn', usage: noUsage }

function turnOf({ messages }: ModelRequest): number {
  return messages.filter(({ role }) => role === 'assistant').length
}

function firstText({ messages }: ModelRequest): string {
  const part = messages[0]?.content[0]
  return part?.type === 'text' ? part.text : ''
}
