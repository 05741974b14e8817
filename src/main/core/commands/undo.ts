import { isGone } from '#shared/model/branch.ts'
import { inverse } from '#shared/model/derived/undo.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { isLastMerge } from '../branches/branch-trees.ts'
import { readBranch } from '../journal/read-thread.ts'
import { goneMessage } from './branches.ts'
import { type CommandProject, type Decided, refuse, write } from './command.ts'
import { restoreTodo } from './todos.ts'

const changedSince = 'These files were changed again since. Undo the later change first, or edit them by hand.'

/** Undoes one merge, discard or change with its inverse, if nothing was built on it since. */
export function undoEntry(project: CommandProject, sequence: Sequence): Decided {
  const entry = project.log.entryAt(sequence)
  if (entry?.type === 'todos.written') return restoreTodo(project, entry)
  const undo = entry && isUndoneHere(entry) ? inverse(entry) : undefined
  if (entry?.type === 'branch.merged' && !isLastMerge(project.log.trees, entry)) return refuse('conflict', changedSince)
  if (entry?.type === 'branch.discarded' && entry.whole) {
    const problem = restoreProblem(project, entry.branchId)
    if (problem !== undefined) return refuse('not_found', problem)
  }
  if (!undo) return refuse('not_found', 'There is nothing to undo at this point of the history.')
  return write([undo], changedSince)
}

/** An apply is undone on the disk too, and a deleted thread where threads are restored. */
function isUndoneHere({ type }: Entry): boolean {
  return type !== 'apply.finished' && type !== 'thread.deleted'
}

/** Why a dropped branch cannot be restored; undefined when it can. */
function restoreProblem({ log, clock }: CommandProject, branchId: BranchId): string | undefined {
  const branch = readBranch(log, branchId)
  if (branch && isGone(branch, clock.now())) return goneMessage
  return branch?.status === 'discarded' ? undefined : 'This branch is not discarded any more.'
}
