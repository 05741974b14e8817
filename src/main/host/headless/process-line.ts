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
 * Says on which ports a process has begun to listen, and on which something else of its branch has. Call for each event of
 * a run; null when nothing is new. A port that was closed is new again.
 */
export function createPortLines(): (event: ProjectEvent) => string | null {
  const known = new Map<string, readonly number[]>()
  const newIn = (key: string, ports: readonly number[]) => {
    const before = known.get(key) ?? []
    known.set(key, ports)
    return ports.filter((port) => !before.includes(port))
  }
  return (event) => {
    if (event.type !== 'process.changed' || event.process.end !== null) return null
    const { id, threadId, branchId, ports, branchPorts } = event.process
    const own = newIn(`${threadId} ${id}`, ports)
    const others = newIn(branchId, branchPorts)
    const lines = [
      own.length > 0 && `${id} listens on port ${own.join(', ')}`,
      others.length > 0 && `something in the branch of ${id} listens on port ${others.join(', ')}`,
    ].filter(Boolean)
    return lines.length === 0 ? null : lines.join('; ')
  }
}

/** What a person reads when a run stops at a question while processes run. */
export function processesEnded(count: number): string {
  return count === 1
    ? '1 process was ended, because the run stops here. It does not start again by itself.'
    : `${count} processes were ended, because the run stops here. They do not start again by themselves.`
}
