import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { invert, type Patch } from '#shared/model/patch.ts'
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
}

type ItemBody =
  | {
      readonly kind: 'discard'
      readonly branchId: BranchId
      readonly whole: boolean
      readonly paths: readonly string[]
    }
  | { readonly kind: 'force'; readonly branchId: BranchId; readonly paths: readonly string[] }
  /** A person reverted files. `patch` identifies its undo in journals of older versions. */
  | { readonly kind: 'revert'; readonly branchId: BranchId; readonly paths: readonly string[]; readonly patch: Patch }
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
      return [...markUndone(items, ({ sequence }) => sequence === entry.of), undo]
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
        ...undoByEntry(items, entry),
        newItem(entry, entry.agent, { kind: 'delete_user_memory', name: entry.name }),
      ]
    case 'interrupt.decided':
      return entry.decision.type === 'reject' ? addRejection(items, entry, project) : items
    case 'todos.written':
      return foldTodos(items, entry)
    default:
      return undoByEntry(items, entry)
  }
}

/** Marks the item that an entry undoes. The entry names the item, or only one item is possible. */
function undoByEntry(items: readonly HistoryItem[], entry: Entry): readonly HistoryItem[] {
  switch (entry.type) {
    case 'branch.restored':
      return markUndone(items, (one) =>
        entry.undoes === undefined
          ? one.kind === 'discard' && one.branchId === entry.branchId
          : one.sequence === entry.undoes,
      )
    case 'merge.undone':
    case 'delivery.undone':
      return markUndone(items, ({ sequence }) => sequence === entry.of)
    case 'thread.restored':
      return markUndone(items, (one) => one.kind === 'delete_thread' && one.threadId === entry.threadId)
    case 'memory.written':
      return entry.agent === null
        ? markUndone(items, (one) => one.kind === 'delete_memory' && one.name === entry.name)
        : items
    case 'user_memory.written':
    case 'user_memory.deleted':
      return markUndone(items, ({ sequence }) => sequence === entry.undoes)
    default:
      return items
  }
}

function newItem({ sequence, at, threadId }: Entry, agent: string | null, body: ItemBody): HistoryItem {
  return { sequence, at, threadId, agent, undone: false, ...body }
}

/** Marks the latest item that fits and has not been undone yet. */
function markUndone(items: readonly HistoryItem[], fits: (one: HistoryItem) => boolean): readonly HistoryItem[] {
  const index = items.findLastIndex((one) => !one.undone && fits(one))
  return items.map((one, at) => (at === index ? { ...one, undone: true } : one))
}

/**
 * Adds a change that a person made by hand, or marks the change that it undoes. The first files of a fork are
 * neither. In journals of older versions an undo is recognised only by its patch.
 */
function addRevert(
  items: readonly HistoryItem[],
  entry: EntryOf<'tree.changed'>,
  project: ProjectState,
): readonly HistoryItem[] {
  const { branchId, patch, callId, undoes } = entry
  if (callId !== null || project.branches.get(branchId)?.forkedAt === entry.sequence - 1) return items
  const back = undoes === undefined ? JSON.stringify(invert(patch)) : ''
  const undone = markUndone(items, (one) =>
    undoes === undefined
      ? one.kind === 'revert' && one.branchId === branchId && JSON.stringify(one.patch) === back
      : one.sequence === undoes,
  )
  if (undone.some((one, index) => one !== items[index])) return undone
  return [...items, newItem(entry, null, { kind: 'revert', branchId, paths: pathsOf(patch), patch })]
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
  const { removed, undoes } = entry
  if (removed) return [...items, newItem(entry, null, { kind: 'remove_todo', content: removed.todo.content })]
  return undoes === undefined ? items : markUndone(items, ({ sequence }) => sequence === undoes)
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
