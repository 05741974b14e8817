import { isLastMerge } from '#core/branches/branch-trees.ts'
import { invertibleOn } from '#core/branches/go-back.ts'
import { emptyTree } from '#core/overlay/tree.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { isGone } from '#shared/model/branch.ts'
import type { Entry, EntryDraft } from '#shared/model/entry.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { invert, type Patch } from '#shared/model/patch.ts'
import type { Project } from './composition/project.ts'

/** Takes back one merge, discard or change by its inverse, if nothing has been built on it since. */
export function undoEntry({ services }: Project, sequence: Sequence): void {
  const { log } = services
  const entry = log.entryAt(sequence)
  const undo = entry && undoOf(entry)
  if (entry?.type === 'branch.merged' && !isLastMerge(log.trees, entry)) throw changedSince()
  if (entry?.type === 'branch.discarded' && entry.whole) mustBeDiscarded(services, entry.branchId)
  if (!undo) throw new WireError('NOT_FOUND', 'There is nothing to undo at this point of the history.')
  const head = log.trees.heads.get(undo.on) ?? emptyTree
  if (!invertibleOn(head, undo.patch)) throw changedSince()
  log.append([undo.draft])
}

export function goneBranch(): WireError {
  return new WireError('NOT_FOUND', 'This branch was discarded more than seven days ago and is gone.')
}

function changedSince(): WireError {
  const message = 'These files were changed again since. Undo the later change first, or edit them by hand.'
  return new WireError('CONFLICT', message)
}

function mustBeDiscarded({ log, clock }: Project['services'], branchId: BranchId): void {
  const branch = log.state.branches.get(branchId)
  if (branch && isGone(branch, clock.now())) throw goneBranch()
  if (branch?.status !== 'discarded') throw new WireError('NOT_FOUND', 'This branch is not discarded any more.')
}

interface Undo {
  readonly on: BranchId
  readonly patch: Patch
  readonly draft: EntryDraft
}

function undoOf(entry: Entry): Undo | undefined {
  const { threadId, sequence: of } = entry
  switch (entry.type) {
    case 'branch.merged': {
      const { branchId, into, patch } = entry
      return { on: into, patch, draft: { type: 'merge.undone', threadId, branchId, into, of, patch: invert(patch) } }
    }
    case 'branch.discarded': {
      const { branchId, patch } = entry
      return { on: branchId, patch, draft: { type: 'branch.restored', threadId, branchId, patch: invert(patch) } }
    }
    case 'tree.changed': {
      const { branchId, patch } = entry
      return {
        on: branchId,
        patch,
        draft: { type: 'tree.changed', threadId, branchId, patch: invert(patch), callId: null },
      }
    }
    default:
      return undefined
  }
}
