import type { AgentServices } from '#core/agent/services.ts'
import { patchAfterApply, planApply } from '#core/branches/apply-plan.ts'
import { emptyTree } from '#core/overlay/tree.ts'
import type { DiskApply } from '#core/ports/disk-apply.ts'
import type { EntryOf } from '#shared/model/entry.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * An apply that reached the disk and died before its result was stored: the folder holds the changes, and the workspace
 * would still show them. The disk itself tells: it is all or nothing, so if every path is as it was to become, the
 * apply is finished here. Call once on opening, after the disk's own recovery.
 */
export async function finishApplies(services: AgentServices, disk: DiskApply): Promise<void> {
  for (const started of unfinishedApplies(services)) await finishApply(services, disk, started)
}

type Started = EntryOf<'apply.started'>

function unfinishedApplies({ log }: AgentServices): readonly Started[] {
  const open = new Map<BranchId, Started>()
  for (const entry of log.entries()) {
    if (entry.type === 'apply.started') open.set(entry.branchId, entry)
    if (entry.type === 'apply.finished') open.delete(entry.branchId)
  }
  return [...open.values()]
}

async function finishApply(
  services: AgentServices,
  disk: DiskApply,
  { threadId, branchId, paths }: Started,
): Promise<void> {
  const { log, base, blobs, hashing } = services
  const tree = log.trees.heads.get(branchId) ?? emptyTree
  const steps = await planApply({ base, blobs, hashing, tree, paths: paths as readonly VirtualPath[] })
  const arrived = await disk.check(steps.map((step) => ({ ...step, before: step.after })))
  if (steps.length === 0 || arrived.some(({ state }) => state !== 'ready')) return
  log.append([{ type: 'apply.finished', threadId, branchId, paths, patch: patchAfterApply(tree, steps) }])
}
