import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectServices } from '../../../src/main/core/agent/types/services.ts'
import { openLocalHost } from '../support/local-host.ts'
import { createScriptedModel, type ScriptedCall, type ScriptedModel } from './scripted-model.ts'
import { scriptedRuntime } from './scripted-runtime.ts'

/** Milliseconds between one reply and the next request, for each step. */
export interface Steps {
  /** The steps of the first thread of a new project, while its write-ahead log is still growing. */
  readonly inNewProject: readonly number[]
  /** The steps of the second thread. */
  readonly steps: readonly number[]
}

const warmUpSteps = 100

export async function measureSteps(folder: string, call: ScriptedCall, steps: number): Promise<Steps> {
  mkdirSync(join(folder, 'project'), { recursive: true })
  await using host = await openLocalHost(join(folder, 'data'))
  const { services } = await host.projects.open(join(folder, 'project'))
  return {
    inNewProject: await runThread(services, createScriptedModel(call, warmUpSteps)),
    steps: await runThread(services, createScriptedModel(call, steps)),
  }
}

async function runThread(services: ProjectServices, model: ScriptedModel): Promise<readonly number[]> {
  await using runtime = scriptedRuntime(services, model.client)
  const threadId = runtime.createThread({ title: 'Steps', model: 'scripted', approvalMode: 'auto' })
  runtime.send(threadId, [{ type: 'text', text: 'Work.' }], 'queue')
  await runtime.whenIdle(threadId)
  const end = services.log.state.threads.get(threadId)?.end
  if (end?.status !== 'done') throw new Error(`The agent ended ${end?.status}: ${end?.message}`)
  return model.gaps()
}
