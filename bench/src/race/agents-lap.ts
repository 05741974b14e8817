import { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readThread } from '../../../src/main/core/journal/read-thread.ts'
import type { ModelClient, ModelReply, ModelRequest } from '../../../src/main/core/ports/model-client.ts'
import { exportPatch } from '../../../src/main/host/changes/export-patch.ts'
import type { JsonObject } from '../../../src/shared/base/json.ts'
import type { ToolCallId } from '../../../src/shared/model/ids.ts'
import { noUsage } from '../../../src/shared/model/models/usage.ts'
import { scriptedRuntime } from '../agent/scripted-runtime.ts'
import type { Change } from '../support/changes.ts'
import { diskBytes } from '../support/disk-bytes.ts'
import { openLocalHost } from '../support/local-host.ts'
import { headOf } from '../support/workspace.ts'
import type { Lap } from './lap.ts'

/**
 * Opens the project, lets one subagent for each list of changes make them on its own branch, merges all branches and
 * writes the patch. The model answers from memory; everything else is what a person runs. Throws when anything is not
 * merged.
 */
export async function runAgentsLap(tree: string, folder: string, work: readonly (readonly Change[])[]): Promise<Lap> {
  const [dataFolder, patch] = [join(folder, 'data'), join(folder, 'agents.patch')]
  const started = performance.now()
  using processes = countProcesses()
  const milliseconds = await writeAgentsPatch(tree, dataFolder, work, patch).then(() => performance.now() - started)
  return { milliseconds, bytes: diskBytes(dataFolder), processes: processes.count(), patch }
}

async function writeAgentsPatch(
  tree: string,
  dataFolder: string,
  work: readonly (readonly Change[])[],
  patch: string,
): Promise<void> {
  await using host = await openLocalHost(dataFolder)
  const project = await host.projects.open(tree)
  await using runtime = scriptedRuntime(project.services, modelFor(work))
  const threadId = runtime.createThread({ title: 'Race', model: 'scripted', approvalMode: 'auto' })
  runtime.send(threadId, [{ type: 'text', text: 'main' }], 'queue')
  await runtime.whenIdle(threadId)
  const thread = readThread(project.services.log, threadId)
  if (thread?.status !== 'done') throw new Error(`The agents did not finish: ${thread?.status}`)
  const { bytes } = await exportPatch(project, headOf({ project, threadId, branchId: thread.branchId }), null)
  writeFileSync(patch, bytes)
}

/** Counts the programs that this process starts. */
function countProcesses(): Disposable & { readonly count: () => number } {
  const { spawn } = ChildProcess.prototype as unknown as { spawn: (...given: unknown[]) => unknown }
  let count = 0
  const counting = function (this: ChildProcess, ...given: unknown[]): unknown {
    count += 1
    return spawn.apply(this, given)
  }
  Object.assign(ChildProcess.prototype, { spawn: counting })
  return { count: () => count, [Symbol.dispose]: () => void Object.assign(ChildProcess.prototype, { spawn }) }
}

function modelFor(work: readonly (readonly Change[])[]): ModelClient {
  return {
    async *stream(request) {
      yield { type: 'reply', reply: replyTo(request, work) }
    },
    models: async () => [],
  }
}

function replyTo(request: ModelRequest, work: readonly (readonly Change[])[]): ModelReply {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length
  const task = firstText(request)
  if (task === 'main') {
    if (turn === 0) return callsReply([['spawn', 'spawn_subagents', { tasks: work.map((_, index) => String(index)) }]])
    if (turn === 1)
      return callsReply([['merge', 'merge_subagent', { handle: work.map((_, index) => `subagent_${index}`) }]])
  } else if (turn === 0) {
    const changes = work[Number(task)] ?? []
    return callsReply(
      changes.map(({ path, text }, index) => [
        `${task}-${index}`,
        'write_file',
        { file_path: `/${path}`, content: text ?? '' },
      ]),
    )
  }
  return { content: [{ type: 'text', text: 'Done.' }], stopReason: 'end_turn', usage: noUsage }
}

function callsReply(calls: readonly (readonly [id: string, name: string, input: JsonObject])[]): ModelReply {
  return {
    content: calls.map(([id, name, input]) => ({ type: 'tool_call', callId: id as ToolCallId, name, input })),
    stopReason: 'tool_use',
    usage: noUsage,
  }
}

function firstText({ messages }: ModelRequest): string {
  const part = messages[0]?.content[0]
  return part?.type === 'text' ? part.text : ''
}
