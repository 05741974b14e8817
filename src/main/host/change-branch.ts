import { invertibleOn } from '#core/branches/go-back.ts'
import type { Tree } from '#core/overlay/tree.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { invert, type Patch } from '#shared/model/patch.ts'
import type { Project } from './composition/project.ts'

/** A branch as it is now. */
export function headOf({ services }: Project, branchId: BranchId): Tree {
  const head = services.log.trees.heads.get(branchId)
  if (!head) throw new WireError('NOT_FOUND', 'This branch does not exist in this project.')
  return head
}

/** One undoable entry of a person, if nobody else changed these paths while it was planned. */
export function changeBranch(project: Project, branchId: BranchId, patch: Patch): { readonly sequence: Sequence } {
  if (!invertibleOn(headOf(project, branchId), invert(patch)))
    throw new WireError('CONFLICT', 'These files changed while this was prepared. Look at them and try again.')
  const threadId = ownerOf(project, branchId)
  const [entry] = project.services.log.append([{ type: 'tree.changed', threadId, branchId, patch, callId: null }])
  return { sequence: entry.sequence }
}

function ownerOf({ services }: Project, branchId: BranchId): ThreadId {
  const branch = services.log.state.branches.get(branchId)
  if (!branch) throw new WireError('NOT_FOUND', 'This branch does not exist in this project.')
  return branch.threadId
}
