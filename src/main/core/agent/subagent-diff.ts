import type { BranchDiff } from '#shared/model/branch.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { branchDiff, listChanges } from '../overlay/changes.ts'
import type { AgentServices } from './services.ts'

/** What a subagent changed on its branch against its fork point. */
export async function diffOf({ log, base, blobs }: AgentServices, { branchId }: ThreadState): Promise<BranchDiff> {
  const from = log.trees.forkPoints.get(branchId)
  const to = log.trees.heads.get(branchId)
  if (!from || !to) return { written: [], deleted: [], renamed: [] }
  return branchDiff(await listChanges({ base, blobs, from, to }))
}
