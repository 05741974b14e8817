import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { toolCallsOf } from '#shared/model/message.ts'
import { familyOf, rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { ProjectLog } from '../../journal/project-log.ts'
import type { Commit } from './call-context.ts'

/** The call ids that each family has used. Kept between replies, because a thousand subagents ask after each reply. */
export interface UsedCallIds {
  /** The subset of `callIds` already used in the thread's family. */
  among(threadId: ThreadId, callIds: readonly ToolCallId[]): ReadonlySet<ToolCallId>
  /** Indexes the calls in committed entries. Call it after every commit of a loop. */
  stored(threadId: ThreadId, entries: Commit): void
}

export function createUsedCallIds(log: Pick<ProjectLog, 'state'>): UsedCallIds {
  const families = new Map<ThreadId, Makers>()

  function familyAbove(threadId: ThreadId): Makers {
    const root = rootThreadOf(log.state, threadId)
    const known = families.get(root) ?? makersIn(familyOf(log.state, root))
    families.set(root, known)
    return known
  }

  return {
    among(threadId, callIds) {
      if (callIds.length === 0) return new Set()
      const makers = familyAbove(threadId)
      /** False for a call that a rewind took away. */
      const stands = (callId: ToolCallId, maker: ThreadId) => log.state.threads.get(maker)?.calls.has(callId) === true
      return new Set(callIds.filter((callId) => makers.get(callId)?.some((maker) => stands(callId, maker))))
    },
    stored(threadId, entries) {
      const made = entries.flatMap((entry) => {
        if (entry.type === 'call.derived') return [entry.callId]
        return entry.type === 'message' && entry.message.role === 'assistant' ? callIdsOf(entry.message) : []
      })
      if (made.length === 0) return
      const makers = familyAbove(threadId)
      for (const callId of made) addMaker(makers, callId, threadId)
    },
  }
}

/** The threads that made a call, by its id. */
type Makers = Map<ToolCallId, readonly ThreadId[]>

function makersIn(family: readonly ThreadState[]): Makers {
  const makers: Makers = new Map()
  for (const { id, calls } of family) for (const callId of calls.keys()) addMaker(makers, callId, id)
  return makers
}

function addMaker(makers: Makers, callId: ToolCallId, threadId: ThreadId): void {
  makers.set(callId, [...(makers.get(callId) ?? []), threadId])
}

function callIdsOf(message: Parameters<typeof toolCallsOf>[0]): readonly ToolCallId[] {
  return toolCallsOf(message).map(({ callId }) => callId)
}
