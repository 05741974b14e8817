import { invertibleOn, planDiscard } from '#core/branches/go-back.ts'
import { planDiscardHunks, planMergeHunks } from '#core/branches/merge/hunks.ts'
import { planMerge } from '#core/branches/merge/plan.ts'
import { changedFile, conflictSides, planResolve, unmergedFile } from '#core/branches/merge/resolve-conflict.ts'
import { reviewBranch } from '#core/branches/merge/review.ts'
import { type MergeSources, treesOf } from '#core/branches/merge/three-way.ts'
import { isBinary } from '#core/overlay/binary.ts'
import { emptyTree } from '#core/overlay/tree.ts'
import type { MergeReceipt } from '#shared/contract/views.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { type Branch, isGone, type MergeResult } from '#shared/model/branch.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { invert } from '#shared/model/patch.ts'
import type { HostParts } from '../composition/host-parts.ts'
import type { Project } from '../composition/project.ts'
import type { Implementer } from '../composition/router.ts'
import { chosenHunks } from '../hunk-refusal.ts'
import { branchLines } from '../queries/branch-lines.ts'
import { compareBranches, compareFile, fileDiff } from '../queries/compare-branches.ts'
import { goneBranch, undoEntry } from '../undo.ts'

/** What a person does with branches: the same plans the agent's tools use, stored under the person's name. */
export function branchHandlers(os: Implementer, { projects }: HostParts) {
  return {
    review: os.branches.review.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const branch = branchOf(project, input.branchId)
      const { files, closed } = await reviewBranch(sources(project, branch))
      return { branchId: branch.id, handle: branch.handle, status: branch.status, closed, files }
    }),
    lines: os.branches.lines.handler(({ input }) => {
      const project = projects.get(input.projectId)
      return branchLines(sources(project, branchOf(project, input.branchId)))
    }),
    diff: os.branches.diff.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { path } = input
      const of = sources(project, branchOf(project, input.branchId))
      const unmerged = of.branch.parentId === null ? undefined : await unmergedFile(of, path)
      if (unmerged) return fileDiff(project, path, unmerged)
      const { fork, theirs } = treesOf(of)
      return { ...(await fileDiff(project, path, await changedFile(of, fork, theirs, path))), shown: null }
    }),
    conflict: os.branches.conflict.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const branch = branchOf(project, input.branchId)
      const { base, ours, theirs } = await conflictSides({ ...sources(project, branch), path: input.path })
      const plan = await planMerge({
        ...sources(project, branch),
        paths: [input.path],
        force: false,
        strategy: 'refuse',
      })
      const conflict = plan.result.conflicts.find(({ path }) => path === input.path) ?? null
      return { path: input.path, conflict, base: textOf(base), ours: textOf(ours), theirs: textOf(theirs) }
    }),
    merge: os.branches.merge.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const branch = childBranch(project, input.branchId)
      const { paths, force, strategy } = input
      const plan = await planMerge({ ...sources(project, branch), paths, force, strategy })
      return store(project, branch, plan, force)
    }),
    mergeHunks: os.branches.mergeHunks.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const branch = childBranch(project, input.branchId)
      return store(project, branch, chosenHunks(await planMergeHunks({ ...sources(project, branch), ...input })), false)
    }),
    resolve: os.branches.resolve.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const branch = childBranch(project, input.branchId)
      const plan = await planResolve({
        ...sources(project, branch),
        path: input.path,
        bytes: new TextEncoder().encode(input.text),
      })
      return store(project, branch, plan, false)
    }),
    discard: os.branches.discard.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const branch = childBranch(project, input.branchId)
      return discard(project, branch, planDiscard(project.services.log.trees, branch, input.paths))
    }),
    discardHunks: os.branches.discardHunks.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const branch = childBranch(project, input.branchId)
      const patch = chosenHunks(await planDiscardHunks({ ...sources(project, branch), ...input }))
      return discard(project, branch, { patch, whole: false })
    }),
    restore: os.branches.restore.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const branch = branchOf(project, input.branchId)
      if (branch.status !== 'discarded') throw new WireError('CONFLICT', 'This branch is not discarded.')
      project.services.log.append([
        { type: 'branch.restored', threadId: branch.threadId, branchId: branch.id, patch: [] },
      ])
    }),
    compare: os.branches.compare.handler(({ input }) => compareBranches(projects.get(input.projectId), input)),
    compareFile: os.branches.compareFile.handler(({ input }) =>
      compareFile(projects.get(input.projectId), input, input.path),
    ),
    undo: os.branches.undo.handler(async ({ input }) => undoEntry(projects.get(input.projectId), input.sequence)),
  }
}

function sources({ services }: Project, branch: Branch): MergeSources {
  const { base, blobs, hashing, textMerge, log } = services
  return { trees: log.trees, branch, base, blobs, hashing, textMerge }
}

function branchOf({ services }: Project, branchId: BranchId): Branch {
  const branch = services.log.state.branches.get(branchId)
  if (!branch) throw new WireError('NOT_FOUND', 'This branch does not exist in this project.')
  if (isGone(branch, services.clock.now())) throw goneBranch()
  return branch
}

function childBranch(project: Project, branchId: BranchId): Branch & { readonly parentId: BranchId } {
  const branch = branchOf(project, branchId)
  if (branch.parentId === null)
    throw new WireError('REFUSED', 'The workspace has no parent to merge into. Use Changes to export or apply it.')
  if (branch.status === 'discarded') throw new WireError('CONFLICT', 'This branch was discarded. Restore it first.')
  return { ...branch, parentId: branch.parentId }
}

function store(
  { services }: Project,
  branch: Branch & { readonly parentId: BranchId },
  plan: Awaited<ReturnType<typeof planMerge>>,
  forced: boolean,
): MergeReceipt {
  const result: MergeResult = plan.result
  if (plan.patch.length === 0 && plan.bases.length === 0) return { result, sequence: null }
  const parent = services.log.trees.heads.get(branch.parentId)
  if (!parent || !invertibleOn(parent, invert(plan.patch))) {
    throw new WireError('CONFLICT', 'These files changed while the merge was prepared. Look at them and merge again.')
  }
  const threadId = services.log.state.branches.get(branch.parentId)?.threadId ?? branch.threadId
  const [entry] = services.log.append([
    { type: 'branch.merged', threadId, branchId: branch.id, into: branch.parentId, ...plan, forced, by: 'person' },
  ])
  return { result, sequence: entry.sequence }
}

function discard(
  { services }: Project,
  { id, threadId }: Branch,
  plan: ReturnType<typeof planDiscard>,
): { readonly sequence: Sequence } {
  const head = services.log.trees.heads.get(id) ?? emptyTree
  if (!invertibleOn(head, invert(plan.patch)))
    throw new WireError('CONFLICT', 'The branch changed while this was prepared. Look at it and discard again.')
  const [entry] = services.log.append([{ type: 'branch.discarded', threadId, branchId: id, by: 'person', ...plan }])
  return { sequence: entry.sequence }
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null || isBinary(bytes) ? null : new TextDecoder().decode(bytes)
}
