import type { ProcessView } from '#shared/model/process.ts'
import type { RunningProcess } from './running-process.ts'

export type SeenPorts = Pick<ProcessView, 'ports' | 'branchPorts'>

export const noPorts: SeenPorts = { ports: [], branchPorts: [] }

/** Divides the ports of a branch among its processes. The answer has the order of `processes`. */
export async function findWhoListens(
  listening: readonly number[],
  processes: readonly Pick<RunningProcess, 'findPorts'>[],
): Promise<readonly SeenPorts[]> {
  const own = await Promise.all(
    processes.map(async (process) => {
      const held = new Set(await process.findPorts())
      return listening.filter((port) => held.has(port))
    }),
  )
  const branchPorts = listening.filter((port) => !own.some((ports) => ports.includes(port)))
  return own.map((ports) => ({ ports, branchPorts }))
}
