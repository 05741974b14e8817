import { killBefore } from '#adapters/disk/kill-before.testkit.ts'
import type { BranchId } from '#shared/model/ids.ts'

/** Applies a workspace in a process of its own, and kills it right before its nth call that changes the disk. */
export interface KilledApplies {
  readonly folder: string
  readonly data: string
  readonly branchId: BranchId
  readonly killBefore: number
}

const task = JSON.parse(process.argv[2] ?? '') as KilledApplies
const startCounting = await killBefore(task.killBefore)
// The functions that it replaced are those that these modules import.
const { openTestHost } = await import('../testing/test-host.testkit.ts')
const { applyToDisk } = await import('./apply.ts')
const host = await openTestHost(task.data)
const project = await host.projects.open(task.folder)
startCounting()
await applyToDisk(project, task.branchId, null)
process.exit(0)
