import { assertNever } from '#shared/base/assert-never.ts'
import { isGone } from '#shared/model/branch.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { canBeRestored } from '#shared/model/thread.ts'
import type { Client } from '../state/connection.ts'
import type { Act } from '../state/history.ts'
import { memoryUndo } from '../state/memory-undo.ts'

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
