import { emptyTree, invertibleOn, type Tree } from '#overlay'
import { type Result, success } from '#shared/base/result.ts'
import { inverse } from '#shared/model/derived/undo.ts'
import type { AppliedRepository, EntryDraft, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { patchAfterApply, saysWhatWasWritten, writtenSteps } from '../branches/apply-plan.ts'
import type { LogReader } from '../journal/project-log.ts'
import { readBranch } from '../journal/read-thread.ts'
import type { ApplyStep } from '../ports/disk-apply.ts'
import { type CommandError, type CommandProject, type Decided, refuse, write } from './command.ts'

/** A change of the user's folder that has begun: an apply, or the undo of one. */
export interface StartedApply {
  /** The entry that stored the intent. */
  readonly sequence: Sequence
  /** The thread that the workspace belongs to. */
  readonly threadId: ThreadId
  /** The workspace that is applied. */
  readonly branchId: BranchId
  /** One for each path on disk, folders before their files. */
  readonly steps: readonly ApplyStep[]
  /** The apply that this one undoes; absent for an ordinary apply. */
  readonly undoes?: Sequence
  /** Repositories made by commands that this apply writes, or that this undo removes. Absent for none. */
  readonly repositories?: readonly AppliedRepository[]
}

export type ApplyIntent = Omit<StartedApply, 'sequence'>

/** The workspace that an apply writes, and the thread it belongs to. */
export interface ApplyTarget {
  /** The workspace as it is now. */
  readonly tree: Tree
  /** Always a root thread. */
  readonly threadId: ThreadId
}

/** The workspace of this id. Refused for other branches, which must be merged into the workspace first. */
export function findApplyTarget(log: LogReader, branchId: BranchId): Result<ApplyTarget, CommandError> {
  const branch = readBranch(log, branchId)
  const tree = log.trees.heads.get(branchId)
  if (!branch || !tree) return refuse('not_found', 'This branch does not exist in this project.')
  if (branch.parentId !== null)
    return refuse('refused', 'Only the workspace is applied. Merge the branch into it first.')
  return success({ tree, threadId: branch.threadId })
}

/** Plans to restore the folder as it was before one apply. Refused when the workspace changed those files since. */
export function undoOfApply(
  { log }: CommandProject,
  branchId: BranchId,
  sequence: Sequence,
): Result<ApplyIntent, CommandError> {
  const target = findApplyTarget(log, branchId)
  if (!target.ok) return target
  const entry = log.entryAt(sequence)
  if (entry?.type !== 'apply.finished' || entry.branchId !== branchId)
    return refuse('not_found', 'There is no apply to undo at this point of the history.')
  const { tree, threadId } = target.value
  if (!invertibleOn(tree, entry.patch))
    return refuse('conflict', 'The workspace has changed these files again since. Discard those changes first.')
  const { repositories } = entry
  const steps = writtenSteps(entry.patch).map(invertStep)
  return success({ threadId, branchId, steps, undoes: sequence, ...(repositories && { repositories }) })
}

/** Stores the intent before the folder is written, so that a crash on the way can be settled on the next start. */
export function startApply({ steps, ...rest }: ApplyIntent): Decided {
  const recorded = steps.map(({ path, before, after }) => [path, before, after] as const)
  const paths = steps.map(({ path }) => path)
  return write([{ type: 'apply.started', ...rest, paths, steps: recorded }])
}

/** Updates the workspace to the written folder. A conflict when the workspace has changed meanwhile. */
export function finishApply({ log }: CommandProject, started: StartedApply): Decided {
  const conclusion = conclusionOf(log, started)
  return conclusion ? write([conclusion], workspaceMovedOn) : refuse('conflict', workspaceMovedOn)
}

const workspaceMovedOn =
  'The workspace changed these files while they were written, so the folder was put back. Try again.'

/** Ends an apply that changed nothing. `left` are files that another program changed and that were left untouched. */
export function failApply(
  { sequence: of, threadId, branchId }: Omit<StartedApply, 'steps'>,
  left: readonly string[],
): Decided {
  return write([{ type: 'apply.failed', threadId, branchId, of, left }])
}

/** Applies that a crash cut off, before they finished or failed. At most one for each branch. */
export function findUnfinishedApplies(log: LogReader): readonly StartedApply[] {
  const open = new Map<BranchId, StartedApply>()
  for (const entry of log.entries(['apply.started', 'apply.finished', 'apply.undone', 'apply.failed'])) {
    if (entry.type === 'apply.started' && entry.steps) {
      const steps = entry.steps.map(([path, before, after]) => ({ path, before, after }))
      open.set(entry.branchId, { ...entry, steps })
    }
    if (entry.type === 'apply.finished' || entry.type === 'apply.undone' || entry.type === 'apply.failed')
      open.delete(entry.branchId)
  }
  return [...open.values()]
}

export function invertStep({ path, before, after }: ApplyStep): ApplyStep {
  return { path, before: after, after: before }
}

function conclusionOf(
  log: LogReader,
  { threadId, branchId, steps, undoes, repositories }: StartedApply,
): EntryDraft | undefined {
  // An apply that a crash cut off may belong to a thread that nobody has opened, and a long one outlasts its thread.
  log.load([branchId])
  const tree = log.trees.heads.get(branchId) ?? emptyTree
  if (undoes === undefined) {
    if (!saysWhatWasWritten(tree, steps)) return undefined
    const paths = steps.map(({ path }) => path)
    const patch = patchAfterApply(tree, steps)
    return { type: 'apply.finished', threadId, branchId, paths, patch, ...(repositories && { repositories }) }
  }
  const undone = log.entryAt(undoes) as EntryOf<'apply.finished'> | undefined
  if (!undone || !invertibleOn(tree, undone.patch)) return undefined
  return inverse(undone)
}
