import type { ThreadId } from '#shared/model/ids.ts'
import { type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadStatus } from '#shared/model/thread.ts'

type Statuses = ReadonlyMap<ThreadId, ThreadStatus>
const known = new WeakMap<ProjectState['threads'], Statuses>()

/** A root thread needs its person when any of its subagents does. Made once per state. */
export function familyStatus(journal: ProjectState): Statuses {
  const made = known.get(journal.threads) ?? statusesOf(journal)
  known.set(journal.threads, made)
  return made
}

function statusesOf(journal: ProjectState): Statuses {
  const statuses = new Map<ThreadId, ThreadStatus>()
  for (const thread of journal.threads.values()) {
    if (!thread.parent) statuses.set(thread.id, statuses.get(thread.id) ?? thread.status)
    else if (thread.status === 'needs_you') statuses.set(rootThreadOf(journal, thread.id), 'needs_you')
  }
  return statuses
}
