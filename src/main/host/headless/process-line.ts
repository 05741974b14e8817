import { endClause } from '#shared/model/process.ts'
import type { ProjectEvent } from './run-task.ts'

/** What a person reads of a process that stays when it starts or ends. */
export function processLine(
  event: Extract<ProjectEvent, { readonly type: 'process.started' | 'process.ended' }>,
): string {
  if (event.type === 'process.started') return `${event.processId} started: ${event.command.split('\n', 1)[0]}`
  return `${event.processId} ${endClause(event)}.${event.note === '' ? '' : ` ${event.note}`}`
}
