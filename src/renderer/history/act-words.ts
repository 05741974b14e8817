import { assertNever } from '#shared/base/assert-never.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { Act } from '../state/history.ts'
import { strings } from '../state/strings.ts'

const words = strings.history.act

/** What was done, in one line. */
export function describeAct(act: Act, journal: ProjectState): string {
  const { files } = strings.history
  switch (act.kind) {
    case 'discard':
      return act.whole
        ? words.discardWhole(branchName(act, journal))
        : words.discard(files(act.paths), branchName(act, journal))
    case 'force':
      return words.force(files(act.paths), branchName(act, journal))
    case 'revert':
      return words.revert(files(act.paths))
    case 'apply':
      return words.apply(files(act.paths))
    case 'undo_apply':
      return words.undoApply(files(act.paths))
    case 'rewind':
      return words.rewind[act.files && act.conversation ? 'both' : act.files ? 'files' : 'conversation']
    case 'delete_thread':
      return words.deleteThread
    case 'delete_memory':
      return words.deleteMemory(act.name)
    case 'reject':
      return words.reject(act.tools)
    default:
      return assertNever(act)
  }
}

function branchName({ branchId }: Extract<Act, { kind: 'discard' | 'force' }>, journal: ProjectState): string {
  const branch = journal.branches.get(branchId)
  return branch?.parentId ? branch.name : strings.history.workspace
}
