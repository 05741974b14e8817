import { type HunkChoice, planRevert, planRevertHunks, type Tree } from '#overlay'
import { type Result, success } from '#shared/base/result.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type DriftChoice, planSettle } from '../branches/settle-drift.ts'
import { readBranch } from '../journal/read-thread.ts'
import { refuseHunks } from './branches.ts'
import { type CommandError, type CommandProject, type Decided, refuse, write } from './command.ts'

/** Resets paths of a branch to the base. A folder includes everything below it. */
export function revertChanges(
  project: CommandProject,
  { branchId, paths }: { readonly branchId: BranchId; readonly paths: readonly VirtualPath[] },
): Decided {
  const head = findHead(project, branchId)
  return head.ok ? changeBranch(project, branchId, planRevert(head.value, paths)) : head
}

/** Resets some hunks of one file to the base. */
export async function revertHunks(
  project: CommandProject,
  command: HunkChoice & { readonly branchId: BranchId },
): Promise<Decided> {
  const head = findHead(project, command.branchId)
  if (!head.ok) return head
  const patch = await planRevertHunks({ ...project, ...command, tree: head.value })
  return patch.ok ? changeBranch(project, command.branchId, patch.value) : refuseHunks(patch.error)
}

/**
 * Decides paths that changed in the branch and on disk, all of them or none. The disk's versions become the pins of what
 * stays. Nothing is written to the disk, and one undo takes all of it back.
 */
export async function settleDrift(
  project: CommandProject,
  { branchId, choices }: { readonly branchId: BranchId; readonly choices: readonly DriftChoice[] },
): Promise<Decided> {
  const head = findHead(project, branchId)
  if (!head.ok) return head
  const planned = await planSettle(project, head.value, choices)
  return 'refused' in planned ? refuse('conflict', planned.refused) : changeBranch(project, branchId, planned.patch)
}

/** One undoable change that a person makes to a branch. It may come from a terminal that ran for long. */
export function changeBranch({ log }: CommandProject, branchId: BranchId, patch: Patch): Decided {
  const branch = readBranch(log, branchId)
  if (!branch) return refuseUnknown()
  return write([{ type: 'tree.changed', threadId: branch.threadId, branchId, patch, callId: null }])
}

/** The current tree of a branch. */
export function findHead({ log }: CommandProject, branchId: BranchId): Result<Tree, CommandError> {
  log.load([branchId])
  const head = log.trees.heads.get(branchId)
  return head ? success(head) : refuseUnknown()
}

function refuseUnknown(): Result<never, CommandError> {
  return refuse('not_found', 'This branch does not exist in this project.')
}
