import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { toRequest } from '../../../src/main/adapters/anthropic/to-request.ts'
import { factsOf } from '../../../src/main/adapters/model-http/model-facts.testkit.ts'
import type { ModelRequest } from '../../../src/main/core/ports/model-client.ts'
import { temporaryFolder } from '../support/folders.ts'
import { openLocalHost } from '../support/local-host.ts'
import { summarise } from '../support/measure.ts'
import type { Row } from '../support/report.ts'
import { createScriptedModel } from './scripted-model.ts'
import { scriptedRuntime } from './scripted-runtime.ts'

const turns = 50

/** Goal 19: how much of a run's input no cache can know. */
export async function prefixRows(): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  return [
    {
      operation: `input of ${turns} turns that no cache has seen`,
      unit: '%',
      coppice: summarise([100 - (await cacheableShare(folder.path))]),
      goal: { text: '≤ 5 %', limit: 5 },
    },
  ]
}

/**
 * The percentage of a run's input that repeats the start of the previous request, byte for byte. A provider
 * can read that part from its cache; bytes stand for tokens.
 */
async function cacheableShare(folder: string): Promise<number> {
  mkdirSync(join(folder, 'project'), { recursive: true })
  await using host = await openLocalHost(join(folder, 'data'))
  const { services } = await host.projects.open(join(folder, 'project'))
  const model = createScriptedModel('write', turns - 1)
  const sent: string[] = []
  await using runtime = scriptedRuntime(services, {
    ...model.client,
    stream(request, signal) {
      sent.push(wireText(request))
      return model.client.stream(request, signal)
    },
  })
  const threadId = runtime.createThread({ title: 'Prefix', model: 'scripted', approvalMode: 'auto' })
  runtime.send(threadId, [{ type: 'text', text: 'Work.' }], 'queue')
  await runtime.whenIdle(threadId)
  if (sent.length !== turns) throw new Error(`The run took ${sent.length} turns, not ${turns}`)
  const shared = sent.map((text, index) => (index === 0 ? 0 : sharedStart(sent[index - 1] ?? '', text)))
  return (100 * sum(shared)) / sum(sent.map(({ length }) => length))
}

/**
 * The request in the provider's order: tools, system prompt, messages. Marks of the cache are left out, because they
 * move and are not content.
 */
function wireText(request: ModelRequest): string {
  const { tools, system, messages } = toRequest(request, factsOf(request.model, { can: { caching: false } }))
  return JSON.stringify([tools, system, ...messages]).slice(0, -1)
}

function sharedStart(before: string, after: string): number {
  let length = 0
  while (length < before.length && before[length] === after[length]) length += 1
  return length
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}
