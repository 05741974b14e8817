import type { CheckMoment, CheckResult } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { readBranch } from '../journal/read-thread.ts'
import { type CommandProject, type Decided, refuse, write } from './command.ts'

/** Stores what a check said, which may have run for long. The thread of the branch owns the entry. */
export function recordCheck(
  { log }: Pick<CommandProject, 'log'>,
  { branchId, on, result }: { readonly branchId: BranchId; readonly on: CheckMoment; readonly result: CheckResult },
): Decided {
  const threadId = readBranch(log, branchId)?.threadId
  if (threadId === undefined) return refuse('not_found', 'This branch does not exist in this project.')
  return write([{ type: 'check.finished', threadId, branchId, on, result }])
}
