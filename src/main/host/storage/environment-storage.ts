import type { ProjectServices } from '#core/agent/types/services.ts'
import { layersByThread } from '#core/journal/layers-in-use.ts'
import type { EnvironmentUsage } from '#shared/contract/views/projects.ts'
import type { LayerId, ThreadId } from '#shared/model/ids.ts'

type Services = Pick<ProjectServices, 'log' | 'mounts' | 'clock'>

/** What commands of each thread left in ignored files and in their home, the largest first. Threads without any are left out. */
export async function viewEnvironments({ log, mounts, clock }: Services): Promise<readonly EnvironmentUsage[]> {
  const usage = new Map((await mounts.layerUsage()).map((one) => [one.id, one]))
  const threads = layersByThread(log, clock.now())
  const rows = [...threads].map(([threadId, layers]): EnvironmentUsage => {
    const present = [...layers].flatMap((id) => usage.get(id) ?? [])
    const own = present.filter(({ id }) => !isShared(threads, threadId, id))
    return {
      threadId,
      title: log.state.threads.get(threadId)?.title ?? '',
      bytes: sum(present.map(({ bytes }) => bytes)),
      removable: sum(own.map(({ bytes }) => bytes)),
      usedAt: Math.max(0, ...present.map(({ usedAt }) => usedAt)),
    }
  })
  return rows.filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes)
}

/**
 * Drops what commands of this thread and its subagents left, except what another thread uses too or an open mount shows.
 * The next command is told. Resolves to the freed bytes.
 */
export async function dropEnvironment({ log, mounts, clock }: Services, threadId: ThreadId): Promise<number> {
  const threads = layersByThread(log, clock.now())
  const own = [...(threads.get(threadId) ?? [])].filter((id) => !isShared(threads, threadId, id))
  const before = await mounts.layerUsage()
  await mounts.dropLayers(new Set(own))
  const left = new Set((await mounts.layerUsage()).map(({ id }) => id))
  return sum(before.filter(({ id }) => !left.has(id)).map(({ bytes }) => bytes))
}

function isShared(threads: ReadonlyMap<ThreadId, ReadonlySet<LayerId>>, threadId: ThreadId, id: LayerId): boolean {
  return [...threads].some(([other, layers]) => other !== threadId && layers.has(id))
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
