import { assertNever } from '#shared/base/assert-never.ts'
import { isGone } from '#shared/model/branch.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { canBeRestored } from '#shared/model/thread.ts'
import type { Client } from '../state/connection/connection.ts'
import type { Act } from '../state/store/history.ts'
import { memoryUndo } from '../state/store/memory-undo.ts'
import { strings } from '../strings/strings.ts'

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

/** How an act is taken back; null where that is too late. The host says no where something was built on it since. */
export function undoOf(
  act: Act,
  journal: ProjectState,
  now: number,
): ((client: Client, projectId: ProjectId) => Promise<unknown>) | null {
  const { sequence, threadId } = act
  switch (act.kind) {
    case 'discard': {
      const branch = journal.branches.get(act.branchId)
      return branch && !isGone(branch, now)
        ? (client, projectId) => client.branches.undo({ projectId, sequence })
        : null
    }
    case 'force':
    case 'revert':
      return (client, projectId) => client.branches.undo({ projectId, sequence })
    case 'apply':
      return (client, projectId) => client.changes.undoApply({ projectId, branchId: act.branchId, sequence })
    case 'rewind':
      return (client, projectId) => client.rewind.redo({ projectId, threadId, sequence: act.redo })
    case 'delete_thread':
      return canBeRestored(act.at, now) ? (client, projectId) => client.threads.restore({ projectId, threadId }) : null
    case 'delete_memory': {
      const memory = journal.memories.get(act.name)
      const undo = memory && memoryUndo(memory, sequence)
      return undo ? (client, projectId) => client.memory.restore({ projectId, ...undo }) : null
    }
    case 'undo_apply':
    case 'reject':
      return null
    default:
      return assertNever(act)
  }
}
