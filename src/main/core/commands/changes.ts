import { type HunkChoice, patchTree, planMerge, planRevert, planRevertHunks, type Tree } from '#overlay'
import { type Result, success } from '#shared/base/result.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { invert, type Patch } from '#shared/model/patch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { patchesOf } from '../branches/branch-trees.ts'
import { type DriftChoice, planSettle } from '../branches/settle-drift.ts'
import { readBranch } from '../journal/read-thread.ts'
import { treeAt } from '../journal/rewind.ts'
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

/**
 * Takes what one entry did, on this branch or on one that was merged into it, off the branch as it is now. Refused whole where
 * later changes stand on it.
 */
export async function undoStep(
  project: CommandProject,
  { branchId, sequence }: { readonly branchId: BranchId; readonly sequence: Sequence },
): Promise<Decided> {
  const head = findHead(project, branchId)
  if (!head.ok) return head
  const entry = project.log.entryAt(sequence)
  const changed = entry && patchesOf(entry)
  const own = changed?.find((one) => one.branchId === branchId) ?? changed?.[0]
  const after = own && treeAt(project.log, own.branchId, sequence)
  if (!own || !after) return refuse('not_found', 'This entry changed no file of this thread.')
  const theirs = patchTree(after, invert(own.patch))
  const how = { paths: null, force: false, strategy: 'three_way' } as const
  const { patch, result } = await planMerge({ ...project, fork: after, ours: head.value, theirs, ...how })
  const stuck = result.conflicts.map(({ path }) => path)
  if (stuck.length > 0) return refuse('conflict', laterChanges(stuck))
  if (patch.length === 0) return refuse('conflict', 'Nothing of this step is left on the branch.')
  return changeBranch(project, branchId, patch)
}

function laterChanges(paths: readonly VirtualPath[]): string {
  const named = paths.slice(0, 3).join(', ')
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return `Later changes stand on this step in ${named}${more}, so it cannot be taken back alone. Ask the agent, or fork from before it.`
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
