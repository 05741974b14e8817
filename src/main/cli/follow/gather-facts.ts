import { findFailures } from '#host/headless/run-facts.ts'
import type { Project } from '#host/project/project.ts'
import type { DirectClient } from '#host/wiring/direct-client.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { SummaryFacts } from './summary.ts'

/** More branches than this are not compared for a summary. */
const mostCompared = 100

/** What the summary of a run says, read from the project. */
export async function gatherFacts(
  client: DirectClient,
  project: Project,
  threadId: ThreadId,
  options: { readonly startedAt: number; readonly isTerminal: boolean; readonly placeFlags: string },
): Promise<SummaryFacts | null> {
  const { clock } = project.services
  const family = project.family(threadId)
  const [thread] = family
  if (!thread) return null
  const projectId = project.info().id
  const files = await client.changes.list({ projectId, branchId: thread.branchId })
  return {
    durationMs: clock.now() - options.startedAt,
    files,
    branches: await countBranches(
      client,
      project,
      family.slice(1).map(({ branchId }) => branchId),
    ),
    agents: family.length - 1,
    failures: findFailures(project, threadId),
    isTerminal: options.isTerminal,
    placeFlags: options.placeFlags,
  }
}

async function countBranches(
  client: DirectClient,
  project: Project,
  ids: readonly BranchId[],
): Promise<SummaryFacts['branches']> {
  const known = [...project.services.log.state.branches.values()].filter(({ id }) => ids.includes(id))
  const open = known.filter(({ status }) => status === 'open')
  const projectId = project.info().id
  const reviews = await Promise.all(
    open.slice(0, mostCompared).map(({ id: branchId }) => client.branches.review({ projectId, branchId })),
  )
  const left = reviews.filter(({ closed }) => !closed)
  const leftIds = new Set(left.map(({ branchId }) => branchId))
  const merged = open.filter(({ id, merges }) => !leftIds.has(id) && merges.some(({ undone }) => !undone))
  const more = Math.max(0, open.length - mostCompared)
  return { merged: merged.length, open: left.length + more, discarded: known.length - open.length }
}
