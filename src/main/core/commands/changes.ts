import { type HunkChoice, patchTree, planMerge, planRevert, planRevertHunks, type Tree } from '#overlay'
import { type Result, success } from '#shared/base/result.ts'
import type { BranchPatch, Entry } from '#shared/model/entry.ts'
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
 * Takes what one entry did, on this branch or on one below it, off the branch as it is now. Refused whole where later changes
 * stand on it, and for entries of any other branch: what they did was never a step of this one.
 */
export async function undoStep(
  project: CommandProject,
  { branchId, sequence }: { readonly branchId: BranchId; readonly sequence: Sequence },
): Promise<Decided> {
  const head = findHead(project, branchId)
  if (!head.ok) return head
  const entry = project.log.entryAt(sequence)
  const own = entry && stepOn(project.log, entry, branchId)
  const after = own && treeAt(project.log, own.branchId, sequence)
  if (!own || !after) return refuse('not_found', 'This entry changed no file of this branch.')
  if (entry.type === 'apply.finished' || entry.type === 'apply.undone')
    return refuse('refused', 'This wrote to the folder. Undo the apply instead: that puts the files on disk back too.')
  const theirs = patchTree(after, invert(own.patch))
  const how = { paths: null, force: false, strategy: 'three_way' } as const
  const { patch, result } = await planMerge({ ...project, fork: after, ours: head.value, theirs, ...how })
  const stuck = result.conflicts.map(({ path }) => path)
  if (stuck.length > 0) return refuse('conflict', laterChanges(stuck))
  if (patch.length === 0) return refuse('conflict', 'Nothing of this step is left on the branch.')
  return changeBranch(project, branchId, patch)
}

/** What an entry did to the branch itself, else to one below it. An entry about several others is no single step. */
function stepOn(log: CommandProject['log'], entry: Entry, branchId: BranchId): BranchPatch | undefined {
  const changed = patchesOf(entry)
  const [first, ...others] = changed
  const own = changed.find((one) => one.branchId === branchId)
  if (own || !first || others.length > 0) return own
  return isWithin(log, first.branchId, branchId) ? first : undefined
}

/** Whether a branch merges into another one, maybe over branches between. */
function isWithin(log: CommandProject['log'], branchId: BranchId, upper: BranchId): boolean {
  for (let at = readBranch(log, branchId); at; at = at.parentId === null ? undefined : readBranch(log, at.parentId))
    if (at.id === upper) return true
  return false
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
