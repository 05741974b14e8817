import { valuesOf } from '#shared/base/chain.ts'
import { isGone } from '#shared/model/branch.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import { canBeRestored } from '#shared/model/thread.ts'
import type { LogReader } from './project-log.ts'

/**
 * Every layer that a command, a fork, a rewind or a redo may still show. `now` is in milliseconds since the Unix epoch.
 */
export function layersInUse({ state, trees }: LogReader, now: number): ReadonlySet<LayerId> {
  const used = new Set<LayerId>()
  for (const [branchId, versions] of trees.environments.entries()) {
    const branch = state.branches.get(branchId)
    const deletedAt = branch && state.threads.get(rootThreadOf(state, branch.threadId))?.deletedAt
    const isDeleted = typeof deletedAt === 'number' && !canBeRestored(deletedAt, now)
    if (!branch || isGone(branch, now) || isDeleted) continue
    for (const { layers } of valuesOf(versions)) for (const id of layers) used.add(id)
  }
  return used
}
