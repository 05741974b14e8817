import { assertNever } from '#shared/base/assert-never.ts'
import { isGone } from '#shared/model/branch.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { canBeRestored } from '#shared/model/thread.ts'
import type { Client } from '../state/connection/connection.ts'
import type { HistoryItem } from '../state/store/history.ts'
import { memoryUndo } from '../state/store/memory-undo.ts'
import { strings } from '../strings/strings.ts'

const labels = strings.history.item

/** Describes in one line what was done. */
export function describeItem(item: HistoryItem, project: ProjectState): string {
  const { files } = strings.history
  switch (item.kind) {
    case 'discard':
      return item.whole
        ? labels.discardWhole(branchName(item, project))
        : labels.discard(files(item.paths), branchName(item, project))
    case 'force':
      return labels.force(files(item.paths), branchName(item, project))
    case 'revert':
      return labels.revert(files(item.paths))
    case 'apply':
      return labels.apply(files(item.paths))
    case 'deliver':
      return labels.deliver(item.commits, item.branch)
    case 'undo_apply':
      return labels.undoApply(files(item.paths))
    case 'rewind':
      return labels.rewind[item.files && item.conversation ? 'both' : item.files ? 'files' : 'conversation']
    case 'delete_thread':
      return labels.deleteThread
    case 'delete_memory':
      return labels.deleteMemory(item.name)
    case 'delete_user_memory':
      return labels.deleteUserMemory(item.name)
    case 'reject':
      return labels.reject(item.tools)
    case 'remove_todo':
      return labels.removeTodo(item.content)
    default:
      return assertNever(item)
  }
}

function branchName({ branchId }: Extract<HistoryItem, { kind: 'discard' | 'force' }>, project: ProjectState): string {
  const branch = project.branches.get(branchId)
  return branch?.parentId ? branch.name : strings.history.workspace
}

/** The undo of an item; null if it is too late. The host refuses the undo if later changes build on the item. */
export function undoFor(
  item: HistoryItem,
  project: ProjectState,
  now: number,
): ((client: Client, projectId: ProjectId) => Promise<unknown>) | null {
  const { sequence, threadId } = item
  switch (item.kind) {
    case 'discard': {
      const branch = project.branches.get(item.branchId)
      return branch && !isGone(branch, now)
        ? (client, projectId) => client.branches.undo({ projectId, sequence })
        : null
    }
    case 'force':
    case 'revert':
    case 'remove_todo':
      return (client, projectId) => client.branches.undo({ projectId, sequence })
    case 'apply':
      return (client, projectId) => client.changes.undoApply({ projectId, branchId: item.branchId, sequence })
    case 'deliver':
      return (client, projectId) => client.deliveries.undo({ projectId, branchId: item.branchId, sequence })
    case 'rewind':
      return (client, projectId) => client.rewind.redo({ projectId, threadId, sequence: item.redo })
    case 'delete_thread':
      return canBeRestored(item.at, now) ? (client, projectId) => client.threads.restore({ projectId, threadId }) : null
    case 'delete_memory': {
      const memory = project.memories.get(item.name)
      const undo = memory && memoryUndo(memory, sequence)
      return undo ? (client, projectId) => client.memory.restore({ projectId, ...undo }) : null
    }
    case 'delete_user_memory':
      return (client, projectId) => client.userMemory.undo({ projectId, sequence })
    case 'undo_apply':
    case 'reject':
      return null
    default:
      return assertNever(item)
  }
}
