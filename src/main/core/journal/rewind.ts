import { diffTrees, emptyTree, patchTree, type Tree } from '#overlay'
import type { NonEmpty } from '#shared/base/non-empty.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchPatch, Entry, EntryDraft } from '#shared/model/entry.ts'
import type { BranchId, MessageId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { invert, type Patch } from '#shared/model/patch.ts'
import { everInFamily } from '#shared/model/project-state.ts'
import { environmentOf, patchesOf, patchingTypes } from '../branches/branch-trees.ts'
import { steerNoticeEntry } from './notices.ts'
import type { LogReader } from './project-log.ts'
import { readBranch } from './read-thread.ts'

/** The parts of a thread that a rewind takes back. */
export interface RewindScope {
  /** Takes back the files of the whole family. */
  readonly files: boolean
  /** Takes back the conversations of the whole family, subagents included. */
  readonly conversation: boolean
}

export interface RewindOptions extends RewindScope {
  /** The thread that goes back, together with its subagents. */
  readonly threadId: ThreadId
  /** A checkpoint of the thread. */
  readonly to: Sequence
  /** The rewind that this one undoes; null for a new one. */
  readonly undoes: Sequence | null
  /** Id for the notice to the agent, which is written when only files go back. */
  readonly noticeId: MessageId
}

/** A branch that already existed at an earlier time, with its trees then and now. */
export interface PastBranch {
  /** As it is now. */
  readonly branch: Branch
  /** The tree before the rewind. */
  readonly now: Tree
  /** The tree after it; the same object as `now` when nothing changes. */
  readonly past: Tree
}

/** The entries of one rewind. They never touch the disk, and another rewind can undo them. */
export function rewindDrafts(log: LogReader, options: RewindOptions): NonEmpty<EntryDraft> {
  const { threadId, to, conversation, undoes } = options
  const files = options.files ? branchPatches(log, pastBranches(log, threadId, to)) : null
  const rewound: EntryDraft = { type: 'rewound', threadId, to, files, conversation, undoes }
  const isTold =
    !conversation && files?.some(({ branchId, patch }) => patch.length > 0 || changesEnvironment(log, branchId, to))
  return isTold
    ? [rewound, { threadId, ...steerNoticeEntry(options.noticeId, undoes === null ? wentBack : cameBack) }]
    : [rewound]
}

/** Whether a branch had another environment after the entry `to` than it has now. */
function changesEnvironment({ trees }: LogReader, branchId: BranchId, to: Sequence): boolean {
  return environmentOf(trees, branchId).join() !== environmentOf(trees, branchId, to).join()
}

/**
 * The family's branches as they were after the entry `to`, without those forked since. The cost grows with the changes
 * since.
 */
export function pastBranches(log: LogReader, threadId: ThreadId, to: Sequence): readonly PastBranch[] {
  log.load([threadId])
  const family = everInFamily(log.state, threadId)
  const heads = headsBefore(log, threadId, to)
  return [...log.state.branches.values()]
    .filter((branch) => family.has(branch.threadId) && branch.forkedAt <= to)
    .map((branch) => {
      const now = log.trees.heads.get(branch.id) ?? emptyTree
      return { branch, now, past: heads.get(branch.id) ?? now }
    })
}

/** A branch as it was after the entry `to`; undefined before its fork. The cost grows with the changes since. */
export function treeAt(log: LogReader, branchId: BranchId, to: Sequence): Tree | undefined {
  const branch = readBranch(log, branchId)
  if (!branch || branch.forkedAt > to) return undefined
  return headsBefore(log, branch.threadId, to).get(branchId) ?? log.trees.heads.get(branchId) ?? emptyTree
}

/**
 * Trees of the thread's family as they were after `to`, for the branches that changed since. Inverts the later patches
 * one by one.
 */
function headsBefore(log: LogReader, threadId: ThreadId, to: Sequence): ReadonlyMap<BranchId, Tree> {
  const heads = new Map<BranchId, Tree>()
  const since: readonly Entry[] = log.entriesAfter(to, patchingTypes, log.rootOf(threadId))
  for (const { branchId, patch } of since.toReversed().flatMap((entry) => patchesOf(entry).toReversed())) {
    const head = heads.get(branchId) ?? log.trees.heads.get(branchId)
    if (head) heads.set(branchId, patchTree(head, invert(patch)))
  }
  return heads
}

/**
 * Patches for the branches. One without changes is included if it was ever merged, because its merges may be undone, and
 * if commands of it ever left something, because its environment may change.
 */
function branchPatches({ trees }: LogReader, branches: readonly PastBranch[]): readonly BranchPatch[] {
  return branches.flatMap(({ branch, now, past }) => {
    const patch: Patch = diffTrees(now, past)
    const merged = (trees.bases.get(branch.id)?.length ?? 0) > 0
    const built = trees.environments.get(branch.id) !== undefined
    return patch.length > 0 || merged || built ? [{ branchId: branch.id, patch }] : []
  })
}

const wentBack =
  'The user took the files back to an earlier state. What you changed, merged or installed since then is undone, what you said is not. Read a file again before you rely on it.'
const cameBack =
  'The user brought the files back to the state before they were taken back. Read a file again before you rely on it.'
