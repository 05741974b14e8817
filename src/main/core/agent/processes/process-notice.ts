import { resultOf } from '#shared/model/calls/call.ts'
import type { MessageId } from '#shared/model/ids.ts'
import { type Message, textOf } from '#shared/model/message.ts'
import type { ProcessRecord, ProcessView } from '#shared/model/process.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { noticeEntry } from '../../journal/notices.ts'
import { stateLine } from '../../tools/processes/process-tools.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import type { LoopContext } from '../types/loop-context.ts'

/** A notice names at most so many, the latest ones. */
const namedAtMost = 8

/**
 * Tells the agent, once for each, which of its processes ended without its doing. What a result or a notice of the
 * conversation says already is not said again. `settled` are the processes that were looked at in this run.
 */
export async function* injectProcessNotice(context: LoopContext, settled: Set<ProcessRecord['id']>): LoopSteps {
  const ended = context.processes().filter(({ id, end }) => end !== null && !settled.has(id))
  if (ended.length === 0) return
  for (const { id } of ended) settled.add(id)
  const told = textsOf(context.thread())
  const untold = ended
    .filter((process) => process.end?.by !== 'agent' && !told.some((text) => text.includes(stateLine(process))))
    .slice(-namedAtMost)
  if (untold.length === 0) return
  yield [noticeEntry(context.nextId() as MessageId, processNotice(untold))]
}

function processNotice(ended: readonly ProcessView[]): string {
  const lines = ended.map((process) => `- ${stateLine(process)}`)
  return ['Background processes of yours have ended:', ...lines, 'process_output shows what they printed.'].join('\n')
}

function textsOf({ messages, calls }: Pick<ThreadState, 'messages' | 'calls'>): readonly string[] {
  const isNotice = (message: Message) => message.role === 'user' && message.origin === 'notice'
  return [
    ...messages.filter(isNotice).map(({ content }) => textOf(content)),
    ...[...calls.values()].map((call) => textOf(resultOf(call)?.content ?? [])),
  ]
}
