import { forkDrafts } from '../../../src/main/core/agent/delegation/subagents.ts'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import { readThread } from '../../../src/main/core/journal/read-thread.ts'
import type { Project } from '../../../src/main/host/project/project.ts'
import type { ToolCallId } from '../../../src/shared/model/ids.ts'
import type { Patch } from '../../../src/shared/model/patch.ts'
import type { VirtualPath } from '../../../src/shared/model/virtual-path.ts'
import { commitPatch, forkWorkspace, startWorkspace, type Workspace } from '../support/workspace.ts'

/** Starts a thread and gives its workspace `changes` new files. */
export function makeForkable(project: Project, changes: number): Workspace {
  const workspace = startWorkspace(project)
  const blob = project.services.blobs.put(new TextEncoder().encode('changed'))
  const patch: Patch = Array.from({ length: changes }, (_, index) => {
    const path = `/changed-${String(index % 100).padStart(2, '0')}/file-${index}.ts` as VirtualPath
    return [path, [null, { node: { kind: 'file', blob, size: 7, executable: false }, pin: null }]] as const
  })
  if (changes > 0) commitPatch(workspace, patch)
  return workspace
}

/** Forks the workspace once and stores the branch. Returns the milliseconds. */
export function forkBranch(workspace: Workspace): number {
  const started = performance.now()
  forkWorkspace(workspace)
  return performance.now() - started
}

const task = { name: null, task: 'Read the folder and report.', subagentType: 'general-purpose', todoIndex: null }

/**
 * Forks as an agent's call does: the subagent's thread, its branch and its task in one transaction. Returns the
 * milliseconds.
 */
export function forkSubagent({ project, threadId }: Workspace): number {
  const { log, ids } = project.services
  const parent = readThread(log, threadId)
  if (!parent) throw new Error('The thread is gone')
  const callId = ids.next() as ToolCallId
  const started = performance.now()
  appendTo(
    log,
    forkDrafts({
      state: log.state,
      parent,
      call: { threadId, callId },
      tasks: [
        {
          ...task,
          wording: task.task,
          scope: 'strict',
          inputFilter: null,
          summary: null,
          answerSchema: null,
          model: parent.model,
        },
      ],
      nextId: ids.next,
    }),
  )
  return performance.now() - started
}
