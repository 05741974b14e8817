import { diffTrees, emptyTree } from '#overlay'
import { type Result, success } from '#shared/base/result.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { BranchId, MessageId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { checkpointOf } from '#shared/model/project-state.ts'
import type { ThreadSnapshot } from '#shared/model/snapshots.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { environmentOf } from '../branches/branch-trees.ts'
import type { LogReader } from '../journal/project-log.ts'
import { pastBranches, type RewindScope, rewindDrafts } from '../journal/rewind.ts'
import { type CommandError, type CommandProject, type Decided, refuse, write } from './command.ts'
import { findActiveThread } from './threads.ts'

export interface Checkpoint {
  /** A root thread or a subagent's. */
  readonly threadId: ThreadId
  /** The last entry that stays. */
  readonly to: Sequence
}

export interface RewindCommand extends Checkpoint, RewindScope {
  /** The rewind that this one undoes; null for a new one. */
  readonly undoes: Sequence | null
}

/** Takes a thread and its subagents back in one entry, which *Redo rewind* names. None of them may be running. */
export function rewindThread(project: CommandProject, command: RewindCommand): Decided {
  const problem = rewindProblem(project.log, command)
  if (problem) return problem
  return write(rewindDrafts(project.log, { ...command, noticeId: project.ids.next() as MessageId }))
}

/** Why a rewind cannot be done; undefined when it can. */
export function rewindProblem(log: LogReader, command: RewindCommand): Result<never, CommandError> | undefined {
  const thread = findActiveThread(log, command.threadId)
  if (!thread.ok) return thread
  const snapshot = findCheckpoint(log, command)
  if (!snapshot.ok) return snapshot
  if (command.files || command.conversation) return undefined
  return refuse('invalid', 'Choose what goes back: the files, the conversation or both.')
}

/** The rewind that returns to the state before another one, with the same scope. */
export function redoOf(log: LogReader, threadId: ThreadId, sequence: Sequence): Result<RewindCommand, CommandError> {
  const entry = log.entryAt(sequence)
  if (entry?.type !== 'rewound' || entry.threadId !== threadId)
    return refuse('not_found', 'There is no rewind of this thread at this point of its history.')
  const { files, conversation } = entry
  return success({ threadId, to: sequence - 1, files: files !== null, conversation, undoes: sequence })
}

/**
 * Makes a new root thread with the conversation and files of another one at a checkpoint; answers with its id. Unmerged
 * work of subagents is not copied. Scratch files are copied in the same transaction.
 */
export function forkThread(project: CommandProject, { threadId, to }: Checkpoint, title: string): Decided<ThreadId> {
  const found = findCheckpoint(project.log, { threadId, to })
  if (!found.ok) return found
  const { thread } = found.value
  if (!thread || thread.parent)
    return refuse('invalid', 'This thread belongs to a subagent. Only the thread of its main agent can be forked.')
  const forked = project.ids.next() as ThreadId
  const { scratch } = project
  for (const { name } of scratch.list(threadId)) {
    const bytes = scratch.read(threadId, name)
    if (bytes) scratch.write(forked, name, bytes)
  }
  const drafts = forkDrafts(project, thread, { threadId: forked, from: threadId, to, title })
  return write(drafts, 'The thread changed while it was copied. Try again.', forked)
}

/** The state of a thread that a rewind to `to` would restore. */
export function findCheckpoint(log: LogReader, { threadId, to }: Checkpoint): Result<ThreadSnapshot, CommandError> {
  log.load([threadId])
  const snapshot = checkpointOf(log.state, threadId, to)
  if (snapshot) return success(snapshot)
  return refuse('not_found', 'There is no checkpoint of this thread at this point of its history.')
}

interface Fork {
  readonly threadId: ThreadId
  readonly from: ThreadId
  readonly to: Sequence
  readonly title: string
}

function forkDrafts(
  { log, ids }: CommandProject,
  { agent, agentType, model, approvalMode, contextScope, branchId: source }: Omit<ThreadState, 'messages'>,
  { threadId, from, to, title }: Fork,
): readonly EntryDraft[] {
  const branchId = ids.next() as BranchId
  const root = { agent, agentType, parent: null, depth: 0, model, approvalMode, contextScope }
  const workspace = { parentId: null, ownerThreadId: threadId, handle: null, name: 'Workspace' }
  const tree = pastBranches(log, from, to).find(({ branch }) => branch.id === source)?.past ?? emptyTree
  const patch = diffTrees(emptyTree, tree)
  const layers = environmentOf(log.trees, source, to)
  return [
    { type: 'thread.created', threadId, title, branchId, ...root },
    { type: 'branch.forked', threadId, branchId, ...workspace },
    ...(patch.length > 0 ? [{ type: 'tree.changed', threadId, branchId, patch, callId: null } as const] : []),
    ...(layers.length > 0 ? [{ type: 'environment.changed', threadId, branchId, layers, callId: null } as const] : []),
    { type: 'thread.copied', threadId, from, to },
  ]
}
