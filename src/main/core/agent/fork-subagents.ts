import type { NonEmpty } from '#shared/base/non-empty.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { BranchId, Handle, MessageId, ThreadId } from '#shared/model/ids.ts'
import { childrenOf, type ProjectState } from '#shared/model/project-state.ts'
import type { ContextScope, ThreadState } from '#shared/model/thread.ts'
import type { SpawningCall, SubagentTask } from './subagents.ts'

/** The subagents a call has started already, in the order of its tasks. */
export function startedBy(state: ProjectState, { threadId, callId }: SpawningCall): readonly ThreadState[] {
  return childrenOf(state, threadId)
    .filter((child) => child.parent?.callId === callId)
    .sort((a, b) => (a.parent?.index ?? 0) - (b.parent?.index ?? 0))
}

/** A task and what its subagent sees and runs on. */
export interface PlannedTask extends SubagentTask {
  readonly scope: ContextScope
  /** The state summary that follows the task. */
  readonly summary: string | null
  readonly model: string
}

/** What makes new subagents, all in one transaction: for each its thread, its fork of the caller's branch, its task. */
export function forkDrafts(options: {
  readonly state: ProjectState
  readonly parent: ThreadState
  readonly call: SpawningCall
  readonly tasks: NonEmpty<PlannedTask>
  /** Position of the first of them among the tasks of the call; 0 when left out. */
  readonly first?: number
  readonly nextId: () => string
}): NonEmpty<EntryDraft> {
  // A rewind takes subagents away and may bring them back, so their handles stay theirs.
  const known = options.state.children.get(options.parent.id)?.length ?? 0
  const [head, ...rest] = options.tasks.flatMap((task, position) =>
    draftsOf(options, task, (options.first ?? 0) + position, known + position),
  )
  if (!head) throw new Error('A fork without tasks')
  return [head, ...rest]
}

function draftsOf(
  { parent, call, nextId }: Parameters<typeof forkDrafts>[0],
  task: PlannedTask,
  index: number,
  number: number,
): readonly EntryDraft[] {
  const threadId = nextId() as ThreadId
  const branchId = nextId() as BranchId
  const handle = `subagent_${number}` as Handle
  const name = task.name ?? handle
  const link = { threadId: parent.id, callId: call.callId, handle, index, task: task.task, todoIndex: task.todoIndex }
  const texts = task.summary === null ? [task.task] : [task.task, task.summary]
  return [
    {
      type: 'thread.created',
      threadId,
      agent: name,
      agentType: task.subagentType,
      title: task.name ?? firstLine(task.task),
      branchId,
      parent: link,
      depth: parent.depth + 1,
      model: task.model,
      approvalMode: parent.approvalMode,
      contextScope: task.scope,
    },
    {
      type: 'branch.forked',
      threadId: parent.id,
      branchId,
      parentId: parent.branchId,
      ownerThreadId: threadId,
      handle,
      name,
    },
    ...texts.map(
      (text): EntryDraft => ({
        type: 'message',
        threadId,
        message: {
          role: 'user',
          messageId: nextId() as MessageId,
          origin: 'parent',
          content: [{ type: 'text', text }],
        },
      }),
    ),
  ]
}

/** A title from what was typed: its first line, cut. */
export function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 80 ? `${line.slice(0, 79)}…` : line || 'New thread'
}
