import type { LayerUsage } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'

/**
 * The layers to drop so that all of them take at most `budget` bytes. `usage` begins with the ones to drop first. Those in
 * `needed` stay, even when they alone are too large. Those in `last` go after all others.
 */
export function planDrops(
  usage: readonly LayerUsage[],
  budget: number,
  needed: ReadonlySet<LayerId>,
  last: ReadonlySet<LayerId>,
): ReadonlySet<LayerId> {
  let total = usage.reduce((sum, { bytes }) => sum + bytes, 0)
  const dropped = new Set<LayerId>()
  const inOrder = [...usage.filter(({ id }) => !last.has(id)), ...usage.filter(({ id }) => last.has(id))]
  for (const { id, bytes } of inOrder) {
    if (total <= budget) break
    if (needed.has(id)) continue
    dropped.add(id)
    total -= bytes
  }
  return dropped
}
