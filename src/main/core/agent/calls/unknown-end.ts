import { isNonEmpty } from '#shared/base/non-empty.ts'
import { type Call, isEndUnknown } from '#shared/model/calls/call.ts'
import { unknownEndDecisions } from '#shared/model/calls/interrupt.ts'
import type { EntryBody, EntryDraft } from '#shared/model/entry.ts'
import type { InterruptId, ProcessId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
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
 * whose end is unknown. A call that had started a process is not one of them: the process is recovered with what it changed,
 * so running the call again would do it twice. Call once on opening.
 */
export function closeCrashedRuns(log: ProjectLog, nextId: () => string): void {
  const started = processesByCall(log)
  const drafts = [...log.state.threads.values()].flatMap((thread): readonly EntryDraft[] => {
    const { id: threadId, end, runStartedAt } = thread
    const all = callsOfUnknownEnd(thread)
    const began = all.filter(({ callId }) => started.has(callId))
    const answered = began.map((call) => ({ threadId, ...startedText(call, started.get(call.callId) ?? '') }))
    const unknown = all.filter((call) => !began.includes(call))
    const asked = unknown.length > 0 ? [{ threadId, ...askAboutEnds(thread, unknown, nextId()) }] : []
    const isOpen = runStartedAt !== null && end === null
    return isOpen ? [...answered, ...asked, { type: 'run.ended', threadId, ...cutByRestart }] : [...answered, ...asked]
  })
  if (isNonEmpty(drafts)) commitAlways(log, drafts)
}

/** The processes whose start no crash can have cut off, by the call that started them. */
function processesByCall(log: ProjectLog): ReadonlyMap<ToolCallId, ProcessId> {
  if (![...log.state.threads.values()].some((thread) => callsOfUnknownEnd(thread).length > 0)) return new Map()
  const entries = log.entries(['process.started'])
  return new Map(
    entries.flatMap((entry) =>
      entry.type === 'process.started' && entry.callId !== null ? [[entry.callId, entry.processId] as const] : [],
    ),
  )
}

function startedText({ callId, name }: Call, process: string): EntryBody {
  const text = `It started ${process}. Coppice was closed before this call had its result, and the process has ended. What it changed counts as at every end of a process.`
  const result = { outcome: 'error', content: [{ type: 'text', text }] } as const
  return { type: 'tool.finished', callId, name, result, durationMs: 0, reads: [] }
}

const cutByRestart = {
  status: 'interrupted',
  reason: 'restart',
  message: 'The app was closed while this ran. Continue to go on.',
} as const
