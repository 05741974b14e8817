import type { BranchId } from '#shared/model/ids.ts'
import { endClause } from '#shared/model/process.ts'
import type { ProjectEvent } from './run-task.ts'

/** What a person reads of a process that stays when it starts or ends. */
export function processLine(
  event: Extract<ProjectEvent, { readonly type: 'process.started' | 'process.ended' }>,
): string {
  if (event.type === 'process.started') return `${event.processId} started: ${event.command.split('\n', 1)[0]}`
  return `${event.processId} ${endClause(event)}.${event.note === '' ? '' : ` ${event.note}`}`
}

/**
 * Says which ports a branch has begun to listen on. Call for each event of a run; null when nothing is new. A port that was
 * closed is new again.
 */
export function createPortLines(): (event: ProjectEvent) => string | null {
  const known = new Map<BranchId, readonly number[]>()
  return (event) => {
    if (event.type !== 'process.changed' || event.process.end !== null) return null
    const { id, branchId, ports } = event.process
    const before = known.get(branchId) ?? []
    known.set(branchId, ports)
    const opened = ports.filter((port) => !before.includes(port))
    return opened.length === 0 ? null : `${id} listens on port ${opened.join(', ')}`
  }
}
