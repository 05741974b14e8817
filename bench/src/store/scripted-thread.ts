import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readThread } from '../../../src/main/core/journal/read-thread.ts'
import type { ModelClient, ModelReply } from '../../../src/main/core/ports/model-client.ts'
import type { Project } from '../../../src/main/host/project/project.ts'
import type { JsonObject } from '../../../src/shared/base/json.ts'
import type { ThreadId, ToolCallId } from '../../../src/shared/model/ids.ts'
import { noUsage } from '../../../src/shared/model/models/usage.ts'
import { scriptedRuntime } from '../agent/scripted-runtime.ts'
import { openLocalHost } from '../support/local-host.ts'

export interface ScriptedStep {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: JsonObject }[]
}

/** A project whose database holds one thread, written by a real run of an agent. */
export interface ScriptedThread {
  readonly folder: string
  /** The size of the database after each part of the steps, once its log has been written back. */
  readonly bytes: readonly number[]
}

/**
 * Runs an agent through steps with the whole loop and a scripted model. Measures the database after each `every`
 * steps.
 */
export async function runSteps(
  folder: string,
  steps: number,
  stepAt: (step: number) => ScriptedStep,
  every = steps,
): Promise<ScriptedThread> {
  const [tree, data] = [join(folder, 'project'), join(folder, 'data')]
  mkdirSync(tree, { recursive: true })
  const bytes: number[] = []
  let id: ThreadId | undefined
  for (let done = 0; done < steps; done += every) {
    await using host = await openLocalHost(data)
    const project = await host.projects.open(tree)
    id = await runPart(project, id, every, (step) => stepAt(done + step))
    await host[Symbol.asyncDispose]()
    bytes.push(statSync(databaseOf(data, project)).size)
  }
  return { folder, bytes }
}

export function databaseOf(data: string, project: Project): string {
  return join(data, 'projects', project.info().id, 'project.db')
}

async function runPart(
  { services }: Project,
  known: ThreadId | undefined,
  steps: number,
  stepAt: (step: number) => ScriptedStep,
): Promise<ThreadId> {
  await using runtime = scriptedRuntime(services, modelOf(steps, stepAt))
  // A thread of a long project is read when somebody names it.
  if (known) services.log.load([known])
  const id = known ?? runtime.createThread({ title: 'Steps', model: 'scripted', approvalMode: 'auto' })
  runtime.send(id, [{ type: 'text', text: 'Work.' }], 'queue')
  await runtime.whenIdle(id)
  const end = readThread(services.log, id)?.end
  if (end?.status !== 'done') throw new Error(`The agent ended ${end?.status}: ${end?.message}`)
  return id
}

function modelOf(steps: number, stepAt: (step: number) => ScriptedStep): ModelClient {
  let asked = 0
  const run = Math.random().toString(36).slice(2)
  return {
    async *stream() {
      asked += 1
      yield { type: 'reply', reply: asked > steps ? lastReply : replyOf(stepAt(asked), `${run}-${asked}`) }
    },
    models: async () => [],
  }
}

function replyOf({ text, calls }: ScriptedStep, name: string): ModelReply {
  const made = calls.map((call, index) => ({
    type: 'tool_call' as const,
    callId: `call-${name}-${index}` as ToolCallId,
    ...call,
  }))
  return { content: [{ type: 'text', text }, ...made], stopReason: 'tool_use', usage: noUsage }
}

const lastReply: ModelReply = { content: [{ type: 'text', text: 'Done.' }], stopReason: 'end_turn', usage: noUsage }
