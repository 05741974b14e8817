import type { Branch } from '#shared/model/branch.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { familyOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { ListedLog, LogReader } from './project-log.ts'

/**
 * The doors from an id to what it names. A family that nobody used for a while is not in memory, so `log.state` alone
 * cannot tell "does not exist" from "is not loaded". Everything that gets an id from outside asks here.
 */
type Log = Pick<LogReader, 'state' | 'load'>

/** The same services, as they are given to what is around core. From there on, a look-up in the log does not compile. */
export function withoutLookUps<Services extends { readonly log: LogReader }>(services: Services) {
  return services as Services & { readonly log: ListedLog }
}

/** Undefined for a thread that does not exist, or that a rewind took away. */
export function readThread(log: Log, threadId: ThreadId): ThreadState | undefined {
  log.load([threadId])
  return log.state.threads.get(threadId)
}

/** The thread and every subagent below it, parents first. Empty for a thread that does not exist. */
export function readFamily(log: Log, threadId: ThreadId): readonly ThreadState[] {
  log.load([threadId])
  return familyOf(log.state, threadId)
}

/** Undefined for a branch that does not exist. */
export function readBranch(log: Log, branchId: BranchId): Branch | undefined {
  log.load([branchId])
  return log.state.branches.get(branchId)
}
