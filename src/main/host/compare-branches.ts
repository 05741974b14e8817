import { changedFile } from '#core/branches/merge/resolve-conflict.ts'
import { treeAt } from '#core/journal/rewind.ts'
import { listChanges } from '#core/overlay/changes.ts'
import type { Tree } from '#core/overlay/tree.ts'
import type { FileDiff } from '#shared/contract/views.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { fileDiff } from './file-diff.ts'
import type { Project } from './project.ts'

/** A branch as it was after an entry. */
export interface BranchState {
  readonly branchId: BranchId
  readonly sequence: Sequence
}

export interface Compared {
  readonly from: BranchState
  readonly to: BranchState
}

export function compareBranches(project: Project, { from, to }: Compared): Promise<readonly FileChange[]> {
  return listChanges({ ...project.services, from: stateOf(project, from), to: stateOf(project, to) })
}

/** Nothing of it can be chosen: it is no change that stands on a branch. */
export async function compareFile(project: Project, { from, to }: Compared, path: VirtualPath): Promise<FileDiff> {
  const found = await changedFile(project.services, stateOf(project, from), stateOf(project, to), path)
  return { ...(await fileDiff(project, path, found)), shown: null }
}

function stateOf({ services }: Project, { branchId, sequence }: BranchState): Tree {
  const tree = treeAt(services.log, branchId, sequence)
  if (!tree) throw new WireError('NOT_FOUND', 'This branch was not there at that time.')
  return tree
}
