import { killBefore } from '#adapters/disk/kill-before.testkit.ts'
import type { BranchId } from '#shared/model/ids.ts'

/** Makes a worktree in a process of its own, and kills it right before its nth call that changes the disk. */
export interface KilledCheckout {
  readonly project: string
  readonly data: string
  readonly branchId: BranchId
  readonly folder: string
  readonly killBefore: number
}

const { project: path, data, branchId, folder, ...task } = JSON.parse(process.argv[2] ?? '') as KilledCheckout
const startCounting = await killBefore(task.killBefore)
// The functions that it replaced are those that these modules import.
const { openTestHost } = await import('../testing/test-host.testkit.ts')
const host = await openTestHost(data)
const project = await host.projects.open(path)
startCounting()
await project.checkouts.make({ branchId, folder, gitBranch: null }, new AbortController().signal)
process.exit(0)
