import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { call } from '@orpc/server'
import type { LogReader } from '../../../src/main/core/journal/project-log.ts'
import { readThread } from '../../../src/main/core/journal/read-thread.ts'
import type { ModelClient, ModelReply, ModelRequest } from '../../../src/main/core/ports/model-client.ts'
import type { JsonObject } from '../../../src/shared/base/json.ts'
import { batchRows } from '../../../src/shared/model/derived/batch.ts'
import type { Entry } from '../../../src/shared/model/entry.ts'
import type { ToolCallId } from '../../../src/shared/model/ids.ts'
import { noUsage } from '../../../src/shared/model/models/usage.ts'
import { databaseOf } from '../store/scripted-thread.ts'
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
  /** The longest time that other work in the host waits while they are merged, in milliseconds. */
  readonly longestMergeStep: number
  /** Bytes of the journal on disk for each byte that was said: tasks, replies with their calls, and results. */
  readonly journalRatio: number
}

/** What an agent says in a reply beside its calls. */
export type SaysInBatch = (task: string, turn: number) => string

const batchId = 'batch' as ToolCallId
const filesRead = ['/a.txt', '/b.txt', '/c.txt']

/** Goal 10: runs `tasks` subagents, which each read three files, write one and answer. All are merged at the end. */
export async function measureBatch(
  folder: string,
  tasks: number,
  says: SaysInBatch = () => 'Done.',
): Promise<BatchFigures> {
  const place = join(folder, 'project')
  mkdirSync(place, { recursive: true })
  for (const path of filesRead) writeFileSync(join(place, path), `${path}\n`.repeat(50))
  const data = join(folder, 'data')
  await using host = await openLocalHost(data)
  const project = await host.projects.open(place)
  const { log } = project.services
  await using runtime = scriptedRuntime(project.services, batchModel(tasks, says))
  const held = await heldBytes()
  const spent = process.cpuUsage()
  const threadId = runtime.createThread({ title: 'Batch', model: 'scripted', approvalMode: 'auto' })
  runtime.send(threadId, [{ type: 'text', text: 'main' }], 'queue')
  await runtime.whenIdle(threadId)
  const [interrupt] = readThread(log, threadId)?.interrupts ?? []
  if (interrupt) runtime.decide(threadId, interrupt.id, [{ type: 'approve', callId: batchId }])
  await runtime.whenIdle(threadId)
  const { user, system } = process.cpuUsage(spent)
  const ended = batchRows(log.state, threadId, batchId).filter(({ status }) => status === 'ok').length
  if (ended !== tasks) throw new Error(`Of ${tasks} tasks ${ended} ended well`)
  const input = { projectId: project.info().id, threadId, callId: batchId }
  const megabytesEach = ((await heldBytes()) - held) / 1024 / 1024 / tasks
  const said = saidBytes(log)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  // It sees only what begins after its first turn.
  await pause(50)
  const mergeAll = await timed(() => call(host.router.batches.mergeClean, input, { context: {} }))
  await pause(20)
  delay.disable()
  const file = databaseOf(data, project)
  // Closing writes the log back into the database.
  await runtime[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
  return {
    cpuEach: (user + system) / 1000 / tasks,
    megabytesEach,
    mergeAll,
    longestMergeStep: delay.max / 1e6,
    journalRatio: statSync(file).size / said,
  }
}

function saidBytes({ pages }: Pick<LogReader, 'pages'>): number {
  let bytes = 0
  for (const entries of pages(1_000)) for (const entry of entries) bytes += Buffer.byteLength(saidIn(entry))
  return bytes
}

function saidIn(entry: Entry): string {
  const parts =
    entry.type === 'message' ? entry.message.content : entry.type === 'tool.finished' ? entry.result.content : []
  return parts
    .map((part) => (part.type === 'text' ? part.text : part.type === 'tool_call' ? JSON.stringify(part.input) : ''))
    .join('')
}

function batchModel(tasks: number, says: SaysInBatch): ModelClient {
  return {
    async *stream(request) {
      yield {
        type: 'reply',
        reply: firstText(request) === 'main' ? mainReply(request, tasks) : taskReply(request, says),
      }
    },
    models: async () => [],
  }
}

function mainReply(request: ModelRequest, tasks: number): ModelReply {
  if (turnOf(request) > 0) return textReply
  const names = Array.from({ length: tasks }, (_, index) => `task ${index}`)
  return callsReply([{ callId: batchId, name: 'batch_task', input: { tasks: names } }], 'All of them.')
}

function taskReply(request: ModelRequest, says: SaysInBatch): ModelReply {
  const text = says(firstText(request), turnOf(request))
  const name = firstText(request).replace(' ', '-')
  const id = (what: string) => `${name}-${what}` as ToolCallId
  if (turnOf(request) === 0) {
    return callsReply(
      filesRead.map((file_path) => ({ callId: id(file_path.slice(1, 2)), name: 'read_file', input: { file_path } })),
      text,
    )
  }
  if (turnOf(request) > 1) return { ...textReply, content: [{ type: 'text', text }] }
  const input = { file_path: `/out/${name}.txt`, content: `${name}\n` }
  return callsReply([{ callId: id('write'), name: 'write_file', input }], text)
}

interface MadeCall {
  readonly callId: ToolCallId
  readonly name: string
  readonly input: JsonObject
}

function callsReply(calls: readonly MadeCall[], text: string): ModelReply {
  const made = calls.map((one) => ({ type: 'tool_call' as const, ...one }))
  return { content: [{ type: 'text', text }, ...made], stopReason: 'tool_use', usage: noUsage }
}

const textReply: ModelReply = { content: [{ type: 'text', text: 'Done.' }], stopReason: 'end_turn', usage: noUsage }

function turnOf({ messages }: ModelRequest): number {
  return messages.filter(({ role }) => role === 'assistant').length
}

function firstText({ messages }: ModelRequest): string {
  const part = messages[0]?.content[0]
  return part?.type === 'text' ? part.text : ''
}
