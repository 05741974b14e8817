import type { Entry } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { everInFamily, type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { patchesOf } from '../../branches/branch-trees.ts'

/** When and where a process began. */
export interface ProcessOrigin {
  readonly threadId: ThreadId
  readonly branchId: BranchId
  /** Of the entry of its start. */
  readonly startedAt: Sequence
}

/**
 * Why nothing that a process changed may be kept after an entry, as a sentence; undefined when it may go on. `state` is
 * the one after the entry.
 */
export function undoneBy(state: ProjectState, entry: Entry, process: ProcessOrigin): string | undefined {
  const { threadId, branchId, startedAt } = process
  switch (entry.type) {
    case 'thread.deleted':
      return rootThreadOf(state, threadId) === entry.threadId ? gone('thread') : undefined
    case 'branch.discarded':
      return entry.whole && branchId === entry.branchId ? gone('branch') : undefined
    case 'rewound': {
      if (startedAt <= entry.to || !everInFamily(state, entry.threadId).has(threadId)) return undefined
      if (entry.files !== null) return tooYoung
      return state.threads.has(threadId) ? undefined : gone('thread')
    }
    default:
      return undefined
  }
}

/**
 * The paths of a branch that an entry changed. A process was or will be shown them, so what it has there is not its own
 * work, even when the branch goes back to what it was. An apply changes where the content is, and no content.
 */
export function pathsChangedBy(entry: Entry, branchId: BranchId): readonly VirtualPath[] {
  if (entry.type === 'apply.finished' || entry.type === 'apply.undone') return []
  return patchesOf(entry)
    .filter((one) => one.branchId === branchId)
    .flatMap(({ patch }) => patch.map(([path]) => path))
}

const gone = (what: 'thread' | 'branch') => `Its ${what} is gone, so nothing that it changed was kept.`
const tooYoung = 'It began after the state that the files went back to, so nothing that it changed was kept.'
