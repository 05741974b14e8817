import type { ThreadId } from '#shared/model/ids.ts'
import { knowsMemory } from '#shared/model/project-state.ts'
import { definitionOf } from '../types/agent-definition.ts'
import type { ProjectServices } from '../types/services.ts'
import { isOn, mergeTuning } from '../types/tuning.ts'

/** False when the memory is switched off for the thread, or for its type of agent. */
export function mayUseMemory({ log, settings, extensions }: ProjectServices, threadId: ThreadId): boolean {
  const type = log.state.threads.get(threadId)?.agentType ?? ''
  const { tuning } = definitionOf(extensions.current(), type)
  return knowsMemory(log.state, threadId) && isOn(mergeTuning(settings().tuning, tuning), 'memory')
}
