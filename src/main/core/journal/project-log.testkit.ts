import type { NonEmpty } from '#shared/base/non-empty.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { AgentServices } from '../agent/types/services.ts'
import { commitAlways, type Entries, type LogReader, type ProjectLog } from './project-log.ts'

/** Stores entries in a project's log without a command, as if an earlier run had left them. */
export function appendTo(log: LogReader, entries: Entries): NonEmpty<Entry> {
  return commitAlways(log as ProjectLog, entries)
}

/** The full services of a project that exposes only the readable part. */
export function agentServicesOf(project: { readonly services: object }): AgentServices {
  return project.services as AgentServices
}
