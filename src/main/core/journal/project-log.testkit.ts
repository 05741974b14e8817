import type { NonEmpty } from '#shared/base/non-empty.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { AgentServices } from '../agent/types/services.ts'
import { commitAlways, type Entries, type LogReader, type ProjectLog } from './project-log.ts'

/** Puts entries into a project's log past every command, as an earlier run would have left them. */
export function appendTo(log: LogReader, entries: Entries): NonEmpty<Entry> {
  return commitAlways(log as ProjectLog, entries)
}

/** The whole of what agents work with, of a project that hands out the readable part alone. */
export function agentServicesOf(project: { readonly services: object }): AgentServices {
  return project.services as AgentServices
}
