import { readBranch } from '#core/journal/read-thread.ts'
import { treeAt } from '#core/journal/rewind.ts'
import { listChanges } from '#overlay'
import type { BisectView, BrokenStep } from '#shared/contract/checks.ts'
import type { Bisect, BisectStep } from '#shared/model/derived/bisect.ts'
import { checkpointRows } from '#shared/model/derived/checkpoints.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { sourceOf } from '../changes/line-source.ts'
import type { Project } from '../project/project.ts'

/** A search with who made the steps that it names, and what they changed. */
export async function viewBisect(project: Project, bisect: Bisect): Promise<BisectView> {
  const { end } = bisect
  const steps = end?.kind === 'found' ? [end.step] : end?.kind === 'between' ? [end.after, end.until] : []
  const found = await Promise.all(steps.map((step) => viewStep(project, bisect.branchId, step)))
  return { ...bisect, found: found.filter((step) => step !== null) }
}

async function viewStep(
  { services }: Project,
  searched: BranchId,
  { sequence, branchId, mergedBy }: BisectStep,
): Promise<BrokenStep | null> {
  const { base, blobs, log, textMerge } = services
  const entry = sequence === null ? undefined : log.entryAt(sequence)
  if (!entry || branchId === null) return null
  const before = (entry.sequence - 1) as Sequence
  const [from, to] = [treeAt(log, branchId, before), treeAt(log, branchId, entry.sequence)]
  if (!from || !to) return null
  const callId = 'callId' in entry ? (entry.callId ?? null) : null
  const source = sourceOf(log, { sequence: entry.sequence, threadId: entry.threadId, branchId, callId })
  const checkpoint = checkpointBefore(log, searched, mergedBy ?? entry.sequence)
  return { ...source, before, mergedBy, checkpoint, files: await listChanges({ base, blobs, textMerge, from, to }) }
}

/** Where a rewind or a fork of the branch's thread may begin. */
function checkpointBefore(log: Project['services']['log'], branchId: BranchId, end: Sequence): Sequence | null {
  const threadId = readBranch(log, branchId)?.threadId
  const past = threadId === undefined ? undefined : log.state.past.threads.get(threadId)
  return (past && checkpointRows(past).findLast(({ to }) => to < end)?.to) ?? null
}
