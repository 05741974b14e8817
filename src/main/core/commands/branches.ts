import {
  type HunkChoice,
  type HunkRefusal,
  type MergePlan,
  planDiscardHunks,
  planKeep,
  planMerge,
  planMergeHunks,
  planResolve,
  unmergedFile,
} from '#overlay'
import { type Result, success } from '#shared/base/result.ts'
import { type Branch, isGone, type MergeResult, type MergeStrategy } from '#shared/model/branch.ts'
import { batchRows } from '#shared/model/derived/batch.ts'
import { inverse } from '#shared/model/derived/undo.ts'
import type { Entry, EntryDraft } from '#shared/model/entry.ts'
import { type BranchId, type Handle, projectThread, type ThreadId, type ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { BranchMerges } from '../branches/branch-merges.ts'
import { type BranchSources, branchSides, planDiscard } from '../branches/branch-sides.ts'
import { readBranch } from '../journal/read-thread.ts'
import { type CommandError, type CommandProject, type Decided, refuse, write } from './command.ts'

/** A branch that can be merged, because it has a parent. */
type ChildBranch = Branch & { readonly parentId: BranchId }

export interface MergeCommand {
  /** A branch with a parent; the workspace is refused. */
  readonly branchId: BranchId
  /** Files or folders; null for every change of the branch. */
  readonly paths: readonly VirtualPath[] | null
  /** Takes the branch's version of a file that both sides changed. */
  readonly force: boolean
  /** `three_way` joins texts whose changes do not overlap; `refuse` reports them as conflicts. */
  readonly strategy: MergeStrategy
}

/** Merges a branch, or some of its paths, into its parent. Conflicts are named in the result and left unchanged. */
export async function mergeBranch(project: CommandProject, command: MergeCommand): Promise<Decided<MergeResult>> {
  const branch = childBranch(project, command.branchId)
  if (!branch.ok) return branch
  const { paths, force, strategy } = command
  const plan = await planMerge({ ...mergeSources(project, branch.value), paths, force, strategy })
  return mergeWrite(project, branch.value, plan, force)
}

/** Stores a merge of the queue *when green*, which was planned and checked before, with its end in the queue. */
export function storeGreenMerge(project: CommandProject, branchId: BranchId, plan: MergePlan): Decided<MergeResult> {
  const branch = childBranch(project, branchId)
  if (!branch.ok) return branch
  const merge = mergeWrite(project, branch.value, plan, false)
  if (!merge.ok) return merge
  const ended: EntryDraft = { type: 'merge.ended', threadId: projectThread, branchId, end: { kind: 'merged' } }
  return success({ ...merge.value, entries: [...merge.value.entries, ended] })
}

/** Merges some hunks of one file. */
export async function mergeHunks(
  project: CommandProject,
  command: HunkChoice & { readonly branchId: BranchId },
): Promise<Decided<MergeResult>> {
  const branch = childBranch(project, command.branchId)
  if (!branch.ok) return branch
  const plan = await planMergeHunks({ ...mergeSources(project, branch.value), ...command })
  return plan.ok ? mergeWrite(project, branch.value, plan.value, false) : refuseHunks(plan.error)
}

/** Uses a person's text as the result of merging one path. */
export async function resolveConflict(
  project: CommandProject,
  command: { readonly branchId: BranchId; readonly path: VirtualPath; readonly text: string },
): Promise<Decided<MergeResult>> {
  const branch = childBranch(project, command.branchId)
  if (!branch.ok) return branch
  const sources = mergeSources(project, branch.value)
  if ((await unmergedFile(sources, command.path)) === undefined) return refuseUnchanged(command.path)
  const plan = await planResolve({ ...sources, ...command })
  if (!plan.ok) return refuse('refused', `${command.path} is not changed: ${plan.error}. Take one side as it is.`)
  return mergeWrite(project, branch.value, plan.value, false)
}

function refuseUnchanged(path: VirtualPath): Result<never, CommandError> {
  return refuse('not_found', `The branch did not change ${path}, so there is nothing to decide.`)
}

/** Settles one path by one side as a whole: a file of any kind, or its deletion. The other side counts as merged. */
export async function takeSide(
  project: CommandProject,
  command: { readonly branchId: BranchId; readonly path: VirtualPath; readonly side: 'ours' | 'theirs' },
): Promise<Decided<MergeResult>> {
  const { branchId, path, side } = command
  if (side === 'theirs') return mergeBranch(project, { branchId, paths: [path], force: true, strategy: 'refuse' })
  const branch = childBranch(project, branchId)
  if (!branch.ok) return branch
  const sources = mergeSources(project, branch.value)
  if ((await unmergedFile(sources, path)) === undefined) return refuseUnchanged(path)
  return mergeWrite(project, branch.value, await planKeep({ ...sources, path }), false)
}

/** The branches of a batch's subagents that finished their tasks, in the order of the tasks. */
export function finishedBranches(
  { log }: CommandProject,
  { threadId, callId }: { readonly threadId: ThreadId; readonly callId: ToolCallId },
): readonly BranchId[] {
  log.load([threadId])
  return batchRows(log.state, threadId, callId).flatMap(({ status, thread }) =>
    status === 'ok' && thread ? [thread.branchId] : [],
  )
}

/** Merges the conflict-free ones of the branches, in order. Answers with the handles of the rest, untouched. */
export async function mergeCleanBranches(
  { log }: CommandProject,
  merges: BranchMerges,
  threadId: ThreadId,
  branchIds: readonly BranchId[],
): Promise<Decided<readonly Handle[]>> {
  log.load(branchIds)
  const { entries, left } = await merges.mergeClean(branchIds)
  const drafts = entries.map((entry) => ({ threadId, ...entry }))
  const handles = left.flatMap((id) => readBranch(log, id)?.handle ?? [])
  return write(drafts, 'These files changed while the merge was prepared. Merge again.', handles)
}

/** Merges branches without conflicts, in order. Answers with the rest, untouched. */
export async function mergeReadyBranches(
  { log }: CommandProject,
  merges: BranchMerges,
  branchIds: readonly BranchId[],
): Promise<Decided<readonly BranchId[]>> {
  log.load(branchIds)
  const { entries, left } = await merges.mergeReady(branchIds)
  const drafts = entries.flatMap((entry) => {
    const threadId = readBranch(log, entry.into)?.threadId
    return threadId ? [{ threadId, ...entry }] : []
  })
  return write(drafts, 'These files changed while the merge was prepared. Merge again.', left)
}

/**
 * Resets paths of a branch to its fork point. Without paths the branch is dropped; it can be restored for seven days.
 */
export function discardBranch(
  project: CommandProject,
  { branchId, paths }: { readonly branchId: BranchId; readonly paths: readonly VirtualPath[] | null },
): Decided {
  const branch = childBranch(project, branchId)
  return branch.ok ? discardWrite(branch.value, planDiscard(project.log.trees, branch.value, paths)) : branch
}

/** Drops some hunks of one file from a branch. */
export async function discardHunks(
  project: CommandProject,
  command: HunkChoice & { readonly branchId: BranchId },
): Promise<Decided> {
  const branch = childBranch(project, command.branchId)
  if (!branch.ok) return branch
  const patch = await planDiscardHunks({ ...mergeSources(project, branch.value), ...command })
  return patch.ok ? discardWrite(branch.value, { patch: patch.value, whole: false }) : refuseHunks(patch.error)
}

function isWholeDiscard(entry: Entry, branchId: BranchId): boolean {
  return entry.type === 'branch.discarded' && entry.branchId === branchId && entry.whole
}

/** Restores a dropped branch unchanged. */
export function restoreBranch(project: CommandProject, branchId: BranchId): Decided {
  const found = findBranch(project, branchId)
  if (!found.ok) return found
  const { id, threadId, status } = found.value
  if (status !== 'discarded') return refuse('conflict', 'This branch is not discarded.')
  const discard = project.log.entries(['branch.discarded']).findLast((entry) => isWholeDiscard(entry, id))
  return write([(discard && inverse(discard)) ?? { type: 'branch.restored', threadId, branchId: id, patch: [] }])
}

/** A branch of the project, unless it was discarded more than seven days ago. */
export function findBranch({ log, clock }: CommandProject, branchId: BranchId): Result<Branch, CommandError> {
  const branch = readBranch(log, branchId)
  if (!branch) return refuse('not_found', 'This branch does not exist in this project.')
  return isGone(branch, clock.now()) ? refuse('not_found', goneMessage) : success(branch)
}

export const goneMessage = 'This branch was discarded more than seven days ago and is gone.'

/** The sources for a merge of the branch, with the current trees. */
export function mergeSources({ base, blobs, hashing, textMerge, log }: CommandProject, branch: Branch): BranchSources {
  return { ...branchSides(log.trees, branch), branch, base, blobs, hashing, textMerge }
}

/** The refusal of an impossible choice of hunks, for a person. */
export function refuseHunks(refusal: HunkRefusal): Result<never, CommandError> {
  switch (refusal) {
    case 'changed':
      return refuse('conflict', 'This file changed since it was shown. Look at it and choose again.')
    case 'missing':
      return refuse('invalid', 'There is no such hunk in this file.')
  }
}

function childBranch(project: CommandProject, branchId: BranchId): Result<ChildBranch, CommandError> {
  const found = findBranch(project, branchId)
  if (!found.ok) return found
  const { parentId, status } = found.value
  if (parentId === null)
    return refuse('refused', 'The workspace has no parent to merge into. Use Changes to export or apply it.')
  if (status === 'discarded')
    return refuse(
      'conflict',
      'This branch was discarded. Restore it first, in the window or with "coppice undo THREAD".',
    )
  return success({ ...found.value, parentId })
}

function mergeWrite(
  { log }: CommandProject,
  branch: ChildBranch,
  plan: MergePlan,
  forced: boolean,
): Decided<MergeResult> {
  const { id: branchId, parentId: into } = branch
  const threadId = readBranch(log, into)?.threadId ?? branch.threadId
  const isEmpty = plan.patch.length === 0 && plan.bases.length === 0
  const entry = { type: 'branch.merged', threadId, branchId, into, ...plan, forced, by: 'person' } as const
  const movedOn = 'These files changed while the merge was prepared. Look at them and merge again.'
  return write(isEmpty ? [] : [entry], movedOn, plan.result)
}

function discardWrite({ id: branchId, threadId }: Branch, plan: ReturnType<typeof planDiscard>): Decided {
  const movedOn = 'The branch changed while this was prepared. Look at it and discard again.'
  return write([{ type: 'branch.discarded', threadId, branchId, by: 'person', ...plan }], movedOn)
}
