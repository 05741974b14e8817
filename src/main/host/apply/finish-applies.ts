import type { RecoveredApply } from '#adapters/disk/restore-apply.ts'
import type { AgentServices } from '#core/agent/types/services.ts'
import type { DiskApply } from '#core/ports/disk-apply.ts'
import { sameNode } from '#shared/model/patch.ts'
import { concludeApply, noteFailure, type StartedApply } from './conclude-apply.ts'

/**
 * Applies that a crash cut off, on the disk or between disk and journal. The disk is all or nothing by now; the journal
 * follows it, and says so. Call once on opening, with what the disk's own recovery did.
 */
export async function finishApplies(
  services: AgentServices,
  disk: DiskApply,
  recovered: readonly RecoveredApply[],
): Promise<void> {
  for (const started of unfinishedApplies(services)) {
    const paths = started.steps.map(({ path }) => path).join('\0')
    const known = recovered.find((one) => one.paths.join('\0') === paths)
    const arrived = known ? known.outcome === 'completed' : await isWritten(disk, started)
    if (arrived) await concludeApply(services, disk, started)
    else noteFailure(services, started, known?.left ?? [])
  }
}

function unfinishedApplies({ log }: AgentServices): readonly StartedApply[] {
  const open = new Map<string, StartedApply>()
  for (const entry of log.entries(['apply.started', 'apply.finished', 'apply.undone', 'apply.failed'])) {
    if (entry.type === 'apply.started' && entry.steps) {
      const steps = entry.steps.map(([path, before, after]) => ({ path, before, after }))
      open.set(entry.branchId, { ...entry, steps })
    }
    if (entry.type === 'apply.finished' || entry.type === 'apply.undone' || entry.type === 'apply.failed')
      open.delete(entry.branchId)
  }
  return [...open.values()]
}

/** Without a record nothing was half done, so one changed path that is there tells for all; others may be a person's since. */
async function isWritten(disk: DiskApply, { steps }: StartedApply): Promise<boolean> {
  const changed = steps.filter(({ before, after }) => !sameNode(before, after))
  const found = await disk.check(changed.map((step) => ({ ...step, before: step.after })))
  return found.some(({ state }) => state === 'ready')
}
