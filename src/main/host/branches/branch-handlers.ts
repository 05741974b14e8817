import { setImmediate } from 'node:timers/promises'
import { proposalProblem } from '#core/agent/delegation/propose-resolution.ts'
import { bestOrder } from '#core/branches/best-order.ts'
import type { BranchSources } from '#core/branches/branch-sides.ts'
import {
  discardBranch,
  discardHunks,
  findBranch,
  mergeBranch,
  mergeHunks,
  mergeReadyBranches,
  mergeSources,
  resolveConflict,
  restoreBranch,
  takeSide,
} from '#core/commands/branches.ts'
import type { Stored } from '#core/commands/command.ts'
import { unwrap } from '#core/commands/command.ts'
import { mergeInGroups } from '#core/commands/merge-groups.ts'
import { undoEntry } from '#core/commands/undo.ts'
import { readBranch } from '#core/journal/read-thread.ts'
import { reviewBranch } from '#overlay'
import type { MergeReceipt } from '#shared/contract/views/branches.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { MergeResult } from '#shared/model/branch.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer, InputOf } from '../app/implementer.ts'
import { exportBranchPatch } from '../changes/export-patch.ts'
import { requireStored } from '../models/provider.ts'
import type { Project } from '../project/project.ts'
import { requireStart } from '../threads/require-start.ts'
import { branchLines } from './branch-lines.ts'
import { compareBranches, compareFile, conflictView, unmergedDiff } from './compare-branches.ts'
import { surveyOpen } from './survey-open.ts'

/** A person's commands on branches. They use the same plans as the agent's tools, stored under the person's name. */
export function branchHandlers(os: Implementer, parts: HostParts) {
  const { projects } = parts
  return {
    review: os.branches.review.handler(async ({ input }) => {
      const sources = sourcesOf(projects.get(input.projectId), input.branchId)
      const { id: branchId, handle, status } = sources.branch
      return { branchId, handle, status, ...(await reviewBranch(sources)) }
    }),
    lines: os.branches.lines.handler(async ({ input }) =>
      branchLines(sourcesOf(projects.get(input.projectId), input.branchId)),
    ),
    diff: os.branches.diff.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      return unmergedDiff(project, sourcesOf(project, input.branchId), input.path)
    }),
    conflict: os.branches.conflict.handler(async ({ input }) =>
      conflictView(sourcesOf(projects.get(input.projectId), input.branchId), input.path),
    ),
    exportPatch: os.branches.exportPatch.handler(({ input }) => {
      const project = projects.get(input.projectId)
      return exportBranchPatch(project, sourcesOf(project, input.branchId), input.paths)
    }),
    askToResolve: os.branches.askToResolve.handler(({ input }) => askToResolve(parts, input)),
    survey: os.branches.survey.handler(({ input }) => surveyOpen(projects.get(input.projectId), input.branchIds)),
    mergeReady: os.branches.mergeReady.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { services, merges, run } = project
      return mergeInGroups(
        bestOrder(await surveyOpen(project, input.branchIds)),
        async (group) => run(await mergeReadyBranches(services, merges, group)),
        setImmediate,
      )
    }),
    merge: os.branches.merge.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return receiptOf(run(await mergeBranch(services, input)))
    }),
    mergeHunks: os.branches.mergeHunks.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return receiptOf(run(await mergeHunks(services, input)))
    }),
    resolve: os.branches.resolve.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return receiptOf(run(await resolveConflict(services, input)))
    }),
    takeSide: os.branches.takeSide.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return receiptOf(run(await takeSide(services, input)))
    }),
    discard: os.branches.discard.handler(async ({ input }) => {
      const { services, change } = projects.get(input.projectId)
      return change(discardBranch(services, input))
    }),
    discardHunks: os.branches.discardHunks.handler(async ({ input }) => {
      const { services, change } = projects.get(input.projectId)
      return change(await discardHunks(services, input))
    }),
    restore: os.branches.restore.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      run(restoreBranch(services, input.branchId))
    }),
    compare: os.branches.compare.handler(({ input }) => compareBranches(projects.get(input.projectId), input)),
    compareFile: os.branches.compareFile.handler(({ input }) =>
      compareFile(projects.get(input.projectId), input, input.path),
    ),
    undo: os.branches.undo.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      run(undoEntry(services, input.sequence))
    }),
  }
}

/** Starts an agent that proposes a text for a file in conflict. Refused where an agent cannot join the two. */
async function askToResolve(
  { projects, provider }: HostParts,
  input: InputOf<Implementer['branches']['askToResolve']>,
): Promise<{ readonly threadId: ThreadId }> {
  const project = projects.get(input.projectId)
  const sources = sourcesOf(project, input.branchId)
  const parent = readBranch(project.services.log, sources.branch.parentId ?? sources.branch.id)
  if (!parent) throw new WireError('NOT_FOUND', 'The branch that this one merges into is gone.')
  const { model } = project.requireActive(parent.threadId)
  requireStored(provider, model)
  await requireStart(project, model)
  const { path, base, ours, theirs, conflict } = await conflictView(sources, input.path)
  if (conflict === null) throw new WireError('REFUSED', `${path} is not in conflict any more. Merge it.`)
  if (ours === null || theirs === null)
    throw new WireError('REFUSED', `An agent can only join texts. Choose one side of ${path} by hand.`)
  const { branch } = sources
  const known = { path, base, versions: [{ name: branch.name, text: theirs }] }
  const problem = proposalProblem(known)
  if (problem !== null) throw new WireError('REFUSED', problem)
  return { threadId: project.runtime.proposeResolution({ branch, into: parent.id }, known) }
}

function sourcesOf({ services }: Project, branchId: BranchId): BranchSources {
  return mergeSources(services, unwrap(findBranch(services, branchId)))
}

function receiptOf({ answer, sequence }: Stored<MergeResult>): MergeReceipt {
  return { result: answer, sequence }
}
