import type { ThreadState } from '#shared/model/thread.ts'
import type { ToolContext } from '../../tools/tool.ts'
import type { CallWorkspace } from '../types/loop-context.ts'

/** What a tool may use during one call: the call's workspace, and what its thread knows of the files. */
export function toolContext(
  thread: ThreadState,
  { files, branch, drift, access }: CallWorkspace,
  call: Pick<ToolContext, 'callId' | 'hosts' | 'signal' | 'onOutput' | 'environment'>,
): ToolContext {
  return {
    ...call,
    threadId: thread.id,
    agent: thread.agent,
    files,
    branch,
    drift,
    access,
    reads: thread.contentHashes,
    disk: thread.diskNotes,
  }
}
