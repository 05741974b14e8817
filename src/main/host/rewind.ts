import type { AgentServices } from '#core/agent/types/services.ts'
import { pastBranches, type RewindScope, rewindDrafts } from '#core/journal/rewind.ts'
import { diffTrees, emptyTree } from '#core/overlay/tree.ts'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { BranchId, MessageId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { checkpointOf } from '#shared/model/project-state.ts'
import type { ThreadSnapshot } from '#shared/model/snapshots.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Project } from './composition/project.ts'
import { requireStanding } from './thread-list.ts'

export interface Checkpoint {
  readonly threadId: ThreadId
  readonly to: Sequence
}

/** Stops what runs, then takes the family back in one entry. Returns the entry that *Redo rewind* names. */
export async function rewindTo(
  { services, runtime }: Project,
  checkpoint: Checkpoint & RewindScope,
  undoes: Sequence | null = null,
): Promise<Sequence> {
  requireStanding(services, checkpoint.threadId)
  requireCheckpoint(services, checkpoint)
  if (!checkpoint.files && !checkpoint.conversation)
    throw new WireError('BAD_REQUEST', 'Choose what goes back: the files, the conversation or both.')
  await runtime.halt(checkpoint.threadId)
  const noticeId = services.ids.next() as MessageId
  return services.log.append(rewindDrafts(services.log, { ...checkpoint, undoes, noticeId }))[0].sequence
}

/** To the state before a rewind. The scope is that of the rewind. */
export async function redoRewind(project: Project, threadId: ThreadId, sequence: Sequence): Promise<Sequence> {
  const entry = project.services.log.entryAt(sequence)
  if (entry?.type !== 'rewound' || entry.threadId !== threadId)
    throw new WireError('NOT_FOUND', 'There is no rewind of this thread at this point of its history.')
  const scope = { files: entry.files !== null, conversation: entry.conversation }
  return rewindTo(project, { threadId, to: sequence - 1, ...scope }, sequence)
}

/** The message is what came right after the checkpoint; its images are sent again. */
export async function editMessage(
  project: Project,
  { text, files, ...checkpoint }: Checkpoint & { readonly text: string; readonly files: boolean },
): Promise<Sequence> {
  const { mark } = requireCheckpoint(project.services, checkpoint)
  if (mark.kind !== 'message') throw new WireError('BAD_REQUEST', 'Only a message of a person can be sent again.')
  if (text.trim() === '') throw new WireError('BAD_REQUEST', 'The message is empty. Type what the agent should do.')
  const images = mark.message.content.filter(({ type }) => type === 'image')
  const sequence = await rewindTo(project, { ...checkpoint, files, conversation: true })
  project.runtime.send(checkpoint.threadId, [...images, { type: 'text', text }], 'queue')
  return sequence
}

/** Conversation and files of a root thread as they were; what subagents had not merged stays with them. */
export function forkThread({ services }: Project, { threadId, to }: Checkpoint, title: string): ThreadId {
  const { thread } = requireCheckpoint(services, { threadId, to })
  if (!thread || thread.parent)
    throw new WireError('BAD_REQUEST', 'Only a thread of its own can be forked, not that of a subagent.')
  const forked = services.ids.next() as ThreadId
  const drafts = forkDrafts(services, thread, { threadId: forked, from: threadId, to, title })
  for (const { name } of services.scratch.list(threadId)) {
    const bytes = services.scratch.read(threadId, name)
    if (bytes) services.scratch.write(forked, name, bytes)
  }
  if (isNonEmpty(drafts)) services.log.append(drafts)
  return forked
}

interface Fork {
  readonly threadId: ThreadId
  readonly from: ThreadId
  readonly to: Sequence
  readonly title: string
}

function forkDrafts(
  { log, ids }: AgentServices,
  { agent, agentType, model, approvalMode, contextScope, branchId: source }: Omit<ThreadState, 'messages'>,
  { threadId, from, to, title }: Fork,
): readonly EntryDraft[] {
  const branchId = ids.next() as BranchId
  const root = { agent, agentType, parent: null, depth: 0, model, approvalMode, contextScope }
  const tree = pastBranches(log, from, to).find(({ branch }) => branch.id === source)?.past ?? emptyTree
  const patch = diffTrees(emptyTree, tree)
  return [
    { type: 'thread.created', threadId, title, branchId, ...root },
    {
      type: 'branch.forked',
      threadId,
      branchId,
      parentId: null,
      ownerThreadId: threadId,
      handle: null,
      name: 'Workspace',
    },
    ...(patch.length > 0 ? [{ type: 'tree.changed', threadId, branchId, patch, callId: null } as const] : []),
    { type: 'thread.copied', threadId, from, to },
  ]
}

export function requireCheckpoint({ log }: AgentServices, { threadId, to }: Checkpoint): ThreadSnapshot {
  const snapshot = checkpointOf(log.state, threadId, to)
  if (!snapshot) throw new WireError('NOT_FOUND', 'There is no checkpoint of this thread at this point of its history.')
  return snapshot
}
