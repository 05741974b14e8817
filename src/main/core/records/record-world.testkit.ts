import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ServicesOptions } from '../agent/agent-services.testkit.ts'
import { type AgentWorld, openWorld } from '../agent/agent-world.testkit.ts'
import { executeCommand } from '../commands/command.ts'
import { createLineMaker, recordHeader } from './export-record.ts'
import { readRecord, type ThreadRecord, writeRecordLine } from './record-format.ts'
import { createRecordedModel } from './recorded-model.ts'
import { settingsForReplay } from './recorded-settings.ts'
import { type ReplayResult, replayThread } from './replay-thread.ts'

/** The record of a thread as the text of its file. */
export function recordOf({ services }: AgentWorld, id: ThreadId, withSecrets = false): string {
  const facts = { app: '1.0.0', contextWindow: 200_000, commit: null, trusted: false, withSecrets }
  const lines = createLineMaker(services, id, withSecrets).stored()
  return [recordHeader(services, id, facts), ...lines].map(writeRecordLine).join('')
}

/** Reads what must be a record. */
export function parsed(text: string): ThreadRecord {
  const read = readRecord(text)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

/** Opens another project with these files, and replays the record there. */
export async function replayIn(
  record: ThreadRecord,
  options: ServicesOptions = {},
  approves = true,
): Promise<ReplayResult & { readonly world: AgentWorld; readonly threadId: ThreadId }> {
  const model = createRecordedModel(record)
  const world = await openWorld({ ...options, client: model.client })
  world.services.change(settingsForReplay(world.services.settings(), record.header.settings))
  const { services, runtime } = world
  const listeners = new Set<(entry: Entry) => void>()
  services.hear((entry) => {
    for (const listener of listeners) listener(entry)
  })
  const replay = replayThread(
    {
      services,
      runtime,
      approves,
      run: (decided) => executeCommand(services.log, decided),
      listen(listener) {
        listeners.add(listener)
        return { [Symbol.dispose]: () => void listeners.delete(listener) }
      },
    },
    record,
    model,
  )
  return { ...(await replay.ended), world, threadId: replay.threadId }
}

/** Answers everything that waits, until nothing does. */
export async function decideAll(
  { services, runtime }: AgentWorld,
  id: ThreadId,
  choose: (request: { readonly name: string }, number: number) => object,
): Promise<void> {
  for (let number = 0; ; ) {
    await runtime.whenIdle(id)
    const waiting = [...services.log.state.threads.values()].find(({ interrupts }) => interrupts.length > 0)
    const [interrupt] = waiting?.interrupts ?? []
    if (!waiting || !interrupt) return
    const decisions = interrupt.action_requests.map((request) => {
      number += 1
      return { callId: request.callId, ...choose(request, number) } as Decision
    })
    runtime.decide(waiting.id, interrupt.id, decisions)
  }
}
