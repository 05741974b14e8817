import {
  createOverlayTransaction,
  emptyTree,
  type OverlayTransaction,
  type Tree,
} from '../../../packages/overlay/src/index.ts'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import { readThread } from '../../../src/main/core/journal/read-thread.ts'
import type { Project } from '../../../src/main/host/project/project.ts'
import type { BranchId, Handle, ThreadId } from '../../../src/shared/model/ids.ts'
import type { Patch } from '../../../src/shared/model/patch.ts'
import type { VirtualPath } from '../../../src/shared/model/virtual-path.ts'
import type { Change } from './changes.ts'

/** A root agent in a project, and one of its branches: the workspace or a fork of it. */
export interface Workspace {
  readonly project: Project
  readonly threadId: ThreadId
  readonly branchId: BranchId
}

export function startWorkspace(project: Project): Workspace {
  const threadId = project.runtime.createThread({ title: 'Bench', model: 'demo', approvalMode: 'auto' })
  const branchId = readThread(project.services.log, threadId)?.branchId
  if (branchId === undefined) throw new Error('The thread has no branch')
  return { project, threadId, branchId }
}

export function headOf({ project, branchId }: Workspace): Tree {
  return project.services.log.trees.heads.get(branchId) ?? emptyTree
}

/** The overlay transaction that a tool call writes to, over the branch as it is now. */
export function draftOf(workspace: Workspace): OverlayTransaction {
  return createOverlayTransaction({ ...workspace.project.services, tree: headOf(workspace) })
}

/** The patch of these changes, made as an agent's calls make it over the branch as it is now. */
export async function patchFor(workspace: Workspace, changes: readonly Change[]): Promise<Patch> {
  const draft = draftOf(workspace)
  const encoder = new TextEncoder()
  for (const { path, text } of changes) {
    const place = `/${path}` as VirtualPath
    if (text === null) await draft.delete(place)
    else await draft.write(place, encoder.encode(text))
  }
  return draft.patch()
}

export function commitPatch({ project, threadId, branchId }: Workspace, patch: Patch): void {
  appendTo(project.services.log, [{ type: 'tree.changed', threadId, branchId, patch, callId: null }])
}

export async function changeWorkspace(workspace: Workspace, changes: readonly Change[]): Promise<void> {
  commitPatch(workspace, await patchFor(workspace, changes))
}

/** Forks the workspace, as a subagent's branch is forked. */
export function forkWorkspace({ project, threadId, branchId: parentId }: Workspace): Workspace {
  const { log, ids } = project.services
  const branchId = ids.next() as BranchId
  const fork = { threadId, branchId, parentId, ownerThreadId: threadId, handle: 'subagent_0' as Handle, name: 'Fork' }
  appendTo(log, [{ type: 'branch.forked', ...fork }])
  return { project, threadId, branchId }
}
