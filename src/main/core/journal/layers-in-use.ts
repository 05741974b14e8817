import { valuesOf } from '#shared/base/chain.ts'
import { isGone } from '#shared/model/branch.ts'
import { openOutcome } from '#shared/model/calls/call.ts'
import type { LayerId, ThreadId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import { canBeRestored } from '#shared/model/thread.ts'
import type { LogReader } from './project-log.ts'

interface LayerUsers {
  readonly log: LogReader
  /** What the project's setup left. */
  readonly setup: { layers(): ReadonlySet<LayerId> }
}

/**
 * Every layer that a command, a fork, a rewind or a redo may still show, and that of the project's setup. `now` is in
 * milliseconds since the Unix epoch.
 */
export function layersInUse({ log, setup }: LayerUsers, now: number): ReadonlySet<LayerId> {
  return new Set([...setup.layers(), ...[...layersByThread(log, now).values()].flatMap((layers) => [...layers])])
}

/**
 * The same by root thread, the layers of its subagents included. A copied thread shares layers with the one it came
 * from. Of a family that is not loaded, every layer counts that it ever had.
 */
export function layersByThread(log: LogReader, now: number): ReadonlyMap<ThreadId, ReadonlySet<LayerId>> {
  const { state, trees } = log
  const threads = new Map<ThreadId, Set<LayerId>>()
  for (const [id, { root, layers }] of log.families()) {
    const isGoneForGood = root.deletedAt !== null && !canBeRestored(root.deletedAt, now)
    if (!state.threads.has(id) && layers.length > 0 && !isGoneForGood) threads.set(id, new Set(layers))
  }
  for (const [branchId, versions] of trees.environments.entries()) {
    const branch = state.branches.get(branchId)
    if (!branch || isGone(branch, now)) continue
    const root = rootThreadOf(state, branch.threadId)
    const deletedAt = state.threads.get(root)?.deletedAt
    if (typeof deletedAt === 'number' && !canBeRestored(deletedAt, now)) continue
    const used = threads.get(root) ?? new Set()
    threads.set(root, used)
    for (const { layers } of valuesOf(versions)) for (const id of layers) used.add(id)
  }
  for (const thread of state.threads.values()) {
    const tried = [...thread.calls.values()].flatMap((call) => openOutcome(call)?.layers ?? [])
    if (tried.length === 0) continue
    const root = rootThreadOf(state, thread.id)
    threads.set(root, new Set([...(threads.get(root) ?? []), ...tried]))
  }
  return threads
}
