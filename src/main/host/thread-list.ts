import type { AgentServices } from '#core/agent/types/services.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { canBeRestored } from '#shared/model/thread.ts'
import type { Project } from './composition/project.ts'

/** Stops its agents first. Its entries stay, so that it can be restored. */
export async function deleteThread(project: Project, threadId: ThreadId): Promise<void> {
  requireRoot(project.services, threadId)
  await project.runtime.suspend(threadId)
  const { deletedAt } = requireRoot(project.services, threadId)
  if (deletedAt === null) project.services.log.append([{ type: 'thread.deleted', threadId }])
}

export function restoreThread({ services }: Project, threadId: ThreadId): void {
  const { deletedAt } = requireRoot(services, threadId)
  if (deletedAt === null) return
  if (!canBeRestored(deletedAt, services.clock.now()))
    throw new WireError('NOT_FOUND', 'This thread was deleted more than seven days ago and is gone.')
  services.log.append([{ type: 'thread.restored', threadId }])
}

export function pinThread({ services }: Project, threadId: ThreadId, pinned: boolean): void {
  if (requireRoot(services, threadId).pinned !== pinned)
    services.log.append([{ type: 'thread.pinned', threadId, pinned }])
}

export function archiveThread({ services }: Project, threadId: ThreadId, archived: boolean): void {
  if (requireRoot(services, threadId).archived !== archived)
    services.log.append([{ type: 'thread.archived', threadId, archived }])
}

/** A thread whose agents may go on: it and the agent it belongs to stand. */
export function requireStanding({ log }: AgentServices, threadId: ThreadId): ThreadState {
  const thread = log.state.threads.get(threadId)
  if (!thread) throw new WireError('NOT_FOUND', 'This thread does not exist in this project.')
  if (log.state.threads.get(rootThreadOf(log.state, threadId))?.deletedAt !== null)
    throw new WireError('REFUSED', 'This thread was deleted. Restore it to go on with it.')
  return thread
}

function requireRoot({ log }: AgentServices, threadId: ThreadId): ThreadState {
  const thread = log.state.threads.get(threadId)
  if (!thread) throw new WireError('NOT_FOUND', 'This thread does not exist in this project.')
  if (thread.parent !== null)
    throw new WireError('BAD_REQUEST', 'Only a thread of its own can be put somewhere else, not that of a subagent.')
  return thread
}
