import { forkDrafts } from '../../../src/main/core/agent/fork-subagents.ts'
import type { Project } from '../../../src/main/host/project.ts'
import type { BranchId, Handle, ThreadId, ToolCallId } from '../../../src/shared/model/ids.ts'
import type { Patch } from '../../../src/shared/model/patch.ts'
import type { VirtualPath } from '../../../src/shared/model/virtual-path.ts'

/** A root agent in a project, whose workspace is forked. */
export interface Forkable {
  readonly project: Project
  readonly threadId: ThreadId
  readonly branchId: BranchId
}

/** Starts a thread and gives its workspace `changes` changed files. */
export function makeForkable(project: Project, changes: number): Forkable {
  const threadId = project.runtime.createThread({ title: 'Fork', model: 'demo', approvalMode: 'auto' })
  const { log, blobs } = project.services
  const branchId = log.state.threads.get(threadId)?.branchId
  if (branchId === undefined) throw new Error('The thread has no branch')
  const blob = blobs.put(new TextEncoder().encode('changed'))
  const patch: Patch = Array.from({ length: changes }, (_, index) => {
    const path = `/changed-${String(index % 100).padStart(2, '0')}/file-${index}.ts` as VirtualPath
    return [path, [null, { node: { kind: 'file', blob, size: 7, executable: false }, pin: null }]] as const
  })
  if (changes > 0) log.append([{ type: 'tree.changed', threadId, branchId, patch, callId: null }])
  return { project, threadId, branchId }
}

/** Forks the workspace once and stores the branch; milliseconds. */
export function forkBranch({ project, threadId, branchId }: Forkable): number {
  const { log, ids } = project.services
  const forked = {
    type: 'branch.forked',
    threadId,
    branchId: ids.next() as BranchId,
    parentId: branchId,
    ownerThreadId: threadId,
    handle: 'subagent_0' as Handle,
    name: 'Fork',
  } as const
  const started = performance.now()
  log.append([forked])
  return performance.now() - started
}

const task = { name: null, task: 'Read the folder and report.', subagentType: 'general-purpose', todoIndex: null }

/** The same as an agent's call does it: the subagent's thread, its branch and its task in one transaction. */
export function forkSubagent({ project, threadId }: Forkable): number {
  const { log, ids } = project.services
  const parent = log.state.threads.get(threadId)
  if (!parent) throw new Error('The thread is gone')
  const callId = ids.next() as ToolCallId
  const started = performance.now()
  log.append(
    forkDrafts({
      state: log.state,
      parent,
      call: { threadId, callId },
      tasks: [{ ...task, scope: 'strict', summary: null, model: parent.model }],
      nextId: ids.next,
    }),
  )
  return performance.now() - started
}
