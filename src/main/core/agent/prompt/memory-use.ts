import type { ThreadId } from '#shared/model/ids.ts'
import { knowsMemory } from '#shared/model/project-state.ts'
import type { MemoryAccess } from '../../memory/memory-files.ts'
import { definitionOf } from '../types/agent-definition.ts'
import type { ProjectServices } from '../types/services.ts'
import { isOn, mergeTuning } from '../types/tuning.ts'

/** What the use of the memory depends on. */
type MemorySources = Pick<ProjectServices, 'log' | 'settings' | 'extensions' | 'userMemories'>

/** False when the memory is switched off for the thread, or for its type of agent. */
export function mayUseMemory(
  { log, settings, extensions }: Omit<MemorySources, 'userMemories'>,
  threadId: ThreadId,
): boolean {
  const type = log.state.threads.get(threadId)?.agentType ?? ''
  const { tuning } = definitionOf(extensions.current(), type)
  return knowsMemory(log.state, threadId) && isOn(mergeTuning(settings().tuning, tuning), 'memory')
}

/** The memories as the thread's agents see them; null when memory is off for the thread, or for its type of agent. */
export function memoryAccess(services: MemorySources, threadId: ThreadId): MemoryAccess | null {
  if (!mayUseMemory(services, threadId)) return null
  const { log, userMemories } = services
  return {
    project: () => log.state.memories,
    // Looked up when it is used: every call of an agent gets this, and few look into the memory.
    get user() {
      return userMemoryProblem(services) ?? (() => userMemories.current())
    },
  }
}

/** Why agents do not know the memories for all projects; null when they do. */
export function userMemoryProblem({
  settings,
  userMemories,
}: Pick<MemorySources, 'settings' | 'userMemories'>): string | null {
  if (!settings().userMemory)
    return 'The user switched the memories for all projects off. Nothing there can be written.'
  return userMemories.problem()
}
