import { isNonEmpty } from '#shared/base/non-empty.ts'
import { type Call, isEndUnknown } from '#shared/model/calls/call.ts'
import { unknownEndDecisions } from '#shared/model/calls/interrupt.ts'
import type { EntryBody, EntryDraft } from '#shared/model/entry.ts'
import type { InterruptId, ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { ProjectLog } from '../../journal/project-log.ts'
import { commitAlways } from '../../journal/project-log.ts'
import { grantedHosts } from './run-call.ts'

/** Calls that a crash cut off while they had effects outside any transaction. Only a person can say how they ended. */
function callsOfUnknownEnd(thread: Pick<ThreadState, 'calls'>): readonly Call[] {
  return [...thread.calls.values()].filter(isEndUnknown)
}

/** An interrupt about these calls. Like any other, it survives restarts, and each request is answered once. */
export function askAboutEnds(
  { id, agent }: { readonly id: ThreadId; readonly agent: string },
  calls: readonly Call[],
  interruptId: string,
): EntryBody {
  return {
    type: 'interrupt.raised',
    interrupt: {
      id: interruptId as InterruptId,
      threadId: id,
      agent,
      action_requests: calls.map((call) => ({
        callId: call.callId,
        name: call.name,
        args: call.input,
        description: [stopped, reachOf(call)].filter(Boolean).join(' '),
        rule: 'outcome unknown',
        risk: 'high',
      })),
      review_configs: calls.map(({ callId, name }) => ({
        callId,
        action_name: name,
        allowed_decisions: unknownEndDecisions,
      })),
    },
  }
}

const stopped = 'The app stopped while this ran, so it may or may not have had its effect. What became of it?'

function reachOf(call: Call): string {
  const hosts = grantedHosts(call)
  return hosts.length > 0 ? `Run again, it may reach ${hosts.join(', ')}, as you granted.` : ''
}

/**
 * Ends the runs that a crash left open as interrupted, so that nothing seems to be working. Asks a person about calls
 * whose end is unknown. Call once on opening.
 */
export function closeCrashedRuns(log: ProjectLog, nextId: () => string): void {
  const drafts = [...log.state.threads.values()].flatMap((thread): readonly EntryDraft[] => {
    const { id: threadId, end, runStartedAt } = thread
    const unknown = callsOfUnknownEnd(thread)
    const asked = unknown.length > 0 ? [{ threadId, ...askAboutEnds(thread, unknown, nextId()) }] : []
    const isOpen = runStartedAt !== null && end === null
    return isOpen ? [...asked, { type: 'run.ended', threadId, ...cutByRestart }] : asked
  })
  if (isNonEmpty(drafts)) commitAlways(log, drafts)
}

const cutByRestart = {
  status: 'interrupted',
  reason: 'restart',
  message: 'The app was closed while this ran. Continue to go on.',
} as const
