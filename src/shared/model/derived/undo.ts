import { mergedBranches } from '../compose/merged-branches.ts'
import type { Entry, EntryDraft } from '../entry.ts'
import type { Sequence } from '../ids.ts'
import { invert } from '../patch.ts'

/**
 * Every undo is an entry of the journal. Its type says what it does; this file alone says which entry it takes back, and
 * which entry takes another one back.
 */
export interface Undone {
  /** The entry that is taken back. Null in journals of older versions, which do not name it. */
  readonly of: Sequence | null
  /** Without a name, it is the last entry with this mark that nothing took back yet. Null when it is named. */
  readonly mark: string | null
}

/** What an entry takes back; null when it takes nothing back. */
export function undoneBy(entry: Entry): Undone | null {
  switch (entry.type) {
    case 'merge.undone':
    case 'apply.undone':
    case 'delivery.undone':
      return { of: entry.of, mark: null }
    case 'branch.restored':
      return entry.undoes === undefined ? marked(discardOf(entry.branchId)) : named(entry.undoes)
    case 'thread.restored':
      return entry.undoes === undefined ? marked(deletionOf(entry.threadId)) : named(entry.undoes)
    case 'memory.written':
      return entry.agent === null ? marked(forgettingOf(entry.name)) : null
    case 'tree.changed':
      if (entry.callId !== null) return null
      return entry.undoes === undefined ? marked(changeBy(entry.branchId, invert(entry.patch))) : named(entry.undoes)
    case 'rewound':
      return entry.undoes === null ? null : named(entry.undoes)
    case 'todos.written':
    case 'user_memory.written':
    case 'user_memory.deleted':
      return entry.undoes === undefined ? null : named(entry.undoes)
    default:
      return null
  }
}

/** By what an undo without a name finds an entry; null for one that no older version could undo so. */
export function undoMark(entry: Entry): string | null {
  switch (entry.type) {
    case 'branch.discarded':
      return discardOf(entry.branchId)
    case 'thread.deleted':
      return deletionOf(entry.threadId)
    case 'memory.deleted':
      return forgettingOf(entry.name)
    case 'tree.changed':
      return entry.callId === null ? changeBy(entry.branchId, entry.patch) : null
    default:
      return null
  }
}

/**
 * The entry that takes another one back by what that one says alone. Undefined for one that cannot be undone, and for one
 * whose undo needs more: a rewind goes back to a checkpoint, a todo into a list, a memory to its version before.
 */
export function inverse(entry: Entry): EntryDraft | undefined {
  const { threadId, sequence: undoes } = entry
  switch (entry.type) {
    case 'branch.merged': {
      const { branchId, into, patch } = entry
      const [, ...others] = mergedBranches(entry)
      const undone = {
        type: 'merge.undone',
        threadId,
        branchId,
        into,
        of: undoes,
        undoes,
        patch: invert(patch),
      } as const
      return others.length === 0 ? undone : { ...undone, others }
    }
    case 'branch.discarded':
      return { type: 'branch.restored', threadId, branchId: entry.branchId, patch: invert(entry.patch), undoes }
    case 'tree.changed': {
      const { branchId, patch } = entry
      return { type: 'tree.changed', threadId, branchId, patch: invert(patch), callId: null, undoes }
    }
    case 'apply.finished':
      return {
        type: 'apply.undone',
        threadId,
        branchId: entry.branchId,
        of: undoes,
        undoes,
        patch: invert(entry.patch),
      }
    case 'thread.deleted':
      return { type: 'thread.restored', threadId, undoes }
    default:
      return undefined
  }
}

const named = (of: Sequence): Undone => ({ of, mark: null })
const marked = (mark: string): Undone => ({ of: null, mark })

const discardOf = (branchId: string) => `discard ${branchId}`
const deletionOf = (threadId: string) => `deletion ${threadId}`
const forgettingOf = (name: string) => `forgetting ${name}`
const changeBy = (branchId: string, patch: unknown) => `change ${branchId} ${JSON.stringify(patch)}`
