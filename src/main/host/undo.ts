import { invertibleOn } from '#core/branches/merge.ts'
import { emptyTree } from '#core/overlay/tree.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Entry, EntryDraft } from '#shared/model/entry.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { invert, type Patch } from '#shared/model/patch.ts'
import type { Project } from './project.ts'

/** Takes back one merge, discard or change by its inverse, if nothing has been built on it since. */
export function undoEntry({ services }: Project, sequence: Sequence): void {
  const { log } = services
  const entry = log.entryAt(sequence)
  const undo = entry && undoOf(entry)
  if (!undo) throw new WireError('NOT_FOUND', 'There is nothing to undo at this point of the history.')
  const head = log.trees.heads.get(undo.on) ?? emptyTree
  if (!invertibleOn(head, undo.patch)) {
    throw new WireError(
      'CONFLICT',
      'These files were changed again since. Undo the later change first, or edit them by hand.',
    )
  }
  log.append([undo.draft])
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
