import { undoMark, undoneBy } from '#shared/model/derived/undo.ts'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { ProjectState } from '#shared/model/project-state.ts'

/** One line of the history: an action that took something away. `undone` is true once it was undone. */
export type HistoryItem = ItemHead & ItemBody

interface ItemHead {
  readonly sequence: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly threadId: ThreadId
  /** The agent's name; null when a person did it. */
  readonly agent: string | null
  readonly undone: boolean
  /** By this an undo of an older version finds it; null for an item that is always named. */
  readonly mark: string | null
}

type ItemBody =
  | {
      readonly kind: 'discard'
      readonly branchId: BranchId
      readonly whole: boolean
      readonly paths: readonly string[]
    }
  | { readonly kind: 'force'; readonly branchId: BranchId; readonly paths: readonly string[] }
  /** A person reverted files. */
  | { readonly kind: 'revert'; readonly branchId: BranchId; readonly paths: readonly string[] }
  | { readonly kind: 'apply' | 'undo_apply'; readonly branchId: BranchId; readonly paths: readonly string[] }
  /** Commits went to this branch of git. `pullRequest` is an address; null for none. */
  | {
      readonly kind: 'deliver'
      readonly branchId: BranchId
      readonly branch: string
      readonly commits: number
      readonly pullRequest: string | null
    }
  /** `redo` is the entry to give to a redo: the rewind itself, or its latest redo. */
  | { readonly kind: 'rewind'; readonly files: boolean; readonly conversation: boolean; readonly redo: Sequence }
  | { readonly kind: 'delete_thread' }
  | { readonly kind: 'delete_memory' | 'delete_user_memory'; readonly name: string }
  | { readonly kind: 'reject'; readonly tools: readonly string[] }
  | { readonly kind: 'remove_todo'; readonly content: string }

/** Adds an entry to the history, latest last. `project` already includes the entry. */
export function foldHistory(
  items: readonly HistoryItem[],
  entry: Entry,
  project: ProjectState,
): readonly HistoryItem[] {
  switch (entry.type) {
    case 'branch.discarded': {
      const { branchId, whole, patch, by } = entry
      return [
        ...items,
        newItem(entry, agentOf(by, entry, project), { kind: 'discard', branchId, whole, paths: pathsOf(patch) }),
      ]
    }
    case 'branch.merged': {
      const { branchId, patch, by } = entry
      if (!entry.forced) return items
      return [...items, newItem(entry, agentOf(by, entry, project), { kind: 'force', branchId, paths: pathsOf(patch) })]
    }
    case 'tree.changed':
      return addRevert(items, entry, project)
    case 'apply.finished': {
      const { branchId, paths } = entry
      return [...items, newItem(entry, null, { kind: 'apply', branchId, paths })]
    }
    case 'apply.undone': {
      const { branchId, patch } = entry
      const undo = newItem(entry, null, { kind: 'undo_apply', branchId, paths: pathsOf(patch) })
      return [...markUndone(items, entry), undo]
    }
    case 'thread.delivered': {
      const { branchId, branch, commits } = entry.delivery
      return [
        ...items,
        newItem(entry, null, { kind: 'deliver', branchId, branch, commits: commits.length, pullRequest: null }),
      ]
    }
    case 'delivery.published':
      return items.map((one) =>
        one.kind === 'deliver' && one.sequence === entry.of ? { ...one, pullRequest: entry.pullRequest } : one,
      )
    case 'rewound':
      return addRewind(items, entry)
    case 'thread.deleted':
      return [...items, newItem(entry, null, { kind: 'delete_thread' })]
    case 'memory.deleted':
      return [...items, newItem(entry, entry.agent, { kind: 'delete_memory', name: entry.name })]
    case 'user_memory.deleted':
      return [
        ...markUndone(items, entry),
        newItem(entry, entry.agent, { kind: 'delete_user_memory', name: entry.name }),
      ]
    case 'interrupt.decided':
      return entry.decision.type === 'reject' ? addRejection(items, entry, project) : items
    case 'todos.written':
      return foldTodos(items, entry)
    default:
      return markUndone(items, entry)
  }
}

function newItem(entry: Entry, agent: string | null, body: ItemBody): HistoryItem {
  const { sequence, at, threadId } = entry
  return { sequence, at, threadId, agent, undone: false, mark: undoMark(entry), ...body }
}

/** Marks the item that an entry undoes, if there is one that was not undone yet. */
function markUndone(items: readonly HistoryItem[], entry: Entry): readonly HistoryItem[] {
  const undone = undoneBy(entry)
  if (!undone) return items
  const { of, mark } = undone
  const index = items.findLastIndex((one) => !one.undone && (of === null ? one.mark === mark : one.sequence === of))
  return index < 0 ? items : items.with(index, { ...(items[index] as HistoryItem), undone: true })
}

/**
 * Adds a change that a person made by hand, or marks the change that it undoes. The first files of a fork are
 * neither.
 */
function addRevert(
  items: readonly HistoryItem[],
  entry: EntryOf<'tree.changed'>,
  project: ProjectState,
): readonly HistoryItem[] {
  const { branchId, patch, callId } = entry
  if (callId !== null || project.branches.get(branchId)?.forkedAt === entry.sequence - 1) return items
  const undone = markUndone(items, entry)
  return undone === items
    ? [...items, newItem(entry, null, { kind: 'revert', branchId, paths: pathsOf(patch) })]
    : undone
}

/** A redo changes the item of its rewind, and so does the redo of a redo. */
function addRewind(items: readonly HistoryItem[], entry: EntryOf<'rewound'>): readonly HistoryItem[] {
  const { sequence, undoes, files, conversation } = entry
  const isOf = (one: HistoryItem) => one.kind === 'rewind' && one.redo === undoes
  if (undoes !== null && items.some(isOf))
    return items.map((one) => (isOf(one) ? ({ ...one, undone: !one.undone, redo: sequence } as HistoryItem) : one))
  return [...items, newItem(entry, null, { kind: 'rewind', files: files !== null, conversation, redo: sequence })]
}

/** Adds the todo that a person took away, or marks the removal that the entry undoes. */
function foldTodos(items: readonly HistoryItem[], entry: EntryOf<'todos.written'>): readonly HistoryItem[] {
  const { removed } = entry
  if (removed) return [...items, newItem(entry, null, { kind: 'remove_todo', content: removed.todo.content })]
  return markUndone(items, entry)
}

/** Calls rejected together are one item. */
function addRejection(
  items: readonly HistoryItem[],
  entry: EntryOf<'interrupt.decided'>,
  project: ProjectState,
): readonly HistoryItem[] {
  const tool = project.threads.get(entry.threadId)?.calls.get(entry.decision.callId)?.name ?? ''
  const last = items.at(-1)
  const isSame = last?.kind === 'reject' && last.threadId === entry.threadId && last.at === entry.at
  if (isSame) return [...items.slice(0, -1), { ...last, tools: [...last.tools, tool] }]
  return [...items, newItem(entry, null, { kind: 'reject', tools: [tool] })]
}

function agentOf(by: 'agent' | 'person', { threadId }: Entry, project: ProjectState): string | null {
  return by === 'person' ? null : (project.threads.get(threadId)?.agent ?? '')
}

function pathsOf(patch: Patch): readonly string[] {
  return patch.map(([path]) => path)
}
