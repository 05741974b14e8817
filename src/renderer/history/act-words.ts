import { assertNever } from '#shared/base/assert-never.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { Act } from '../state/history.ts'
import { strings } from '../state/strings.ts'

const labels = strings.history.act

/** What was done, in one line. */
export function describeAct(act: Act, journal: ProjectState): string {
  const { files } = strings.history
  switch (act.kind) {
    case 'discard':
      return act.whole
        ? labels.discardWhole(branchName(act, journal))
        : labels.discard(files(act.paths), branchName(act, journal))
    case 'force':
      return labels.force(files(act.paths), branchName(act, journal))
    case 'revert':
      return labels.revert(files(act.paths))
    case 'apply':
      return labels.apply(files(act.paths))
    case 'undo_apply':
      return labels.undoApply(files(act.paths))
    case 'rewind':
      return labels.rewind[act.files && act.conversation ? 'both' : act.files ? 'files' : 'conversation']
    case 'delete_thread':
      return labels.deleteThread
    case 'delete_memory':
      return labels.deleteMemory(act.name)
    case 'reject':
      return labels.reject(act.tools)
    default:
      return assertNever(act)
  }
}

function branchName({ branchId }: Extract<Act, { kind: 'discard' | 'force' }>, journal: ProjectState): string {
  const branch = journal.branches.get(branchId)
  return branch?.parentId ? branch.name : strings.history.workspace
}
