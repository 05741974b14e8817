import type { LineOrigin } from '#core/journal/blame.ts'
import type { LogReader } from '#core/journal/project-log.ts'
import { readBranch, readThread } from '#core/journal/read-thread.ts'
import type { LineSource } from '#shared/contract/views/files.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** Characters of the message that an agent worked on. */
const mostTask = 200

/** Who made an entry that changed a branch, in which call, and what a person decided about it. */
export function sourceOf(
  log: LogReader,
  { sequence, threadId, branchId, callId }: NonNullable<LineOrigin>,
): LineSource {
  const thread = readThread(log, threadId)
  const branch = readBranch(log, branchId)
  const entry = log.entryAt(sequence)
  const call = callId === null ? undefined : thread?.calls.get(callId)
  return {
    ...{ sequence, threadId, branchId, callId, at: entry?.at ?? 0 },
    agent: thread?.agent ?? '',
    branch: branch?.parentId ? branch.name : 'workspace',
    handle: branch?.parentId ? branch.handle : null,
    tool: call?.name ?? null,
    how: callId !== null ? 'call' : entry?.type === 'branch.merged' ? 'merge' : 'edit',
    decision: call?.decision?.type ?? null,
    task: callId === null || !thread ? '' : taskOf(thread, callId),
  }
}

/** What was said to the agent last, before it made the call. */
function taskOf({ messages }: ThreadState, callId: ToolCallId): string {
  const made = messages.findIndex(
    ({ role, content }) =>
      role === 'assistant' && content.some((part) => part.type === 'tool_call' && part.callId === callId),
  )
  const said = messages.slice(0, Math.max(0, made)).findLast(({ role }) => role === 'user')
  return said ? beginningOf(oneLine(textOf(said.content)), mostTask) : ''
}
