import type { HostServices } from '#core/agent/types/services.ts'
import { layersByThread } from '#core/journal/layers-in-use.ts'
import type { EnvironmentUsage, SetupUsage } from '#shared/contract/views/projects.ts'
import type { LayerId, ThreadId } from '#shared/model/ids.ts'

type Services = Pick<HostServices, 'log' | 'mounts' | 'clock' | 'setup'>

/** What commands of each thread left in ignored files and in their home, the largest first. Threads without any are left out. */
export async function viewEnvironments({ log, mounts, clock, setup }: Services): Promise<readonly EnvironmentUsage[]> {
  const usage = new Map((await mounts.layerUsage()).map((one) => [one.id, one]))
  const threads = layersByThread(log, clock.now())
  const families = log.families()
  const rows = [...threads].map(([threadId, layers]): EnvironmentUsage => {
    const present = [...layers].flatMap((id) => usage.get(id) ?? [])
    const own = present.filter(({ id }) => !isShared(threads, threadId, id) && !setup.layers().has(id))
    return {
      threadId,
      title: families.get(threadId)?.root.title ?? '',
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
export function dropEnvironment({ log, mounts, clock, setup }: Services, threadId: ThreadId): Promise<number> {
  const threads = layersByThread(log, clock.now())
  const isOwn = (id: LayerId) => !isShared(threads, threadId, id) && !setup.layers().has(id)
  return dropLayers(mounts, [...(threads.get(threadId) ?? [])].filter(isOwn))
}

/** What the setup of the project left. Null for nothing. */
export async function viewSetup({ mounts, setup }: Services): Promise<SetupUsage | null> {
  const layers = setup.layers()
  const present = (await mounts.layerUsage()).filter(({ id }) => layers.has(id))
  if (present.length === 0) return null
  return { bytes: sum(present.map(({ bytes }) => bytes)), usedAt: Math.max(...present.map(({ usedAt }) => usedAt)) }
}

/**
 * Removes what the setup of the project left, except what an open mount shows. It runs again before the next command, and
 * agents are told. Resolves to the freed bytes.
 */
export async function dropSetup({ mounts, setup }: Services): Promise<number> {
  const layers = [...setup.layers()]
  setup.forget()
  return dropLayers(mounts, layers)
}

async function dropLayers(mounts: Services['mounts'], layers: readonly LayerId[]): Promise<number> {
  const before = await mounts.layerUsage()
  await mounts.dropLayers(new Set(layers))
  const left = new Set((await mounts.layerUsage()).map(({ id }) => id))
  return sum(before.filter(({ id }) => !left.has(id)).map(({ bytes }) => bytes))
}

function isShared(threads: ReadonlyMap<ThreadId, ReadonlySet<LayerId>>, threadId: ThreadId, id: LayerId): boolean {
  return [...threads].some(([other, layers]) => other !== threadId && layers.has(id))
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
