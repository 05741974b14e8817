import { changedFile } from '#core/branches/changed-file.ts'
import { invertibleOn, planRevert, planRevertHunks } from '#core/branches/merge.ts'
import { listChanges } from '#core/overlay/changes.ts'
import { emptyTree, type Tree } from '#core/overlay/tree.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { invert, type Patch } from '#shared/model/patch.ts'
import { applyToDisk, checkApply, undoApply } from '../apply.ts'
import type { HostParts } from '../create-host.ts'
import { diskConflict, takeDisk } from '../disk-changes.ts'
import { exportPatch } from '../export-patch.ts'
import { fileDiff } from '../file-diff.ts'
import { chosenHunks } from '../hunk-refusal.ts'
import type { Project } from '../project.ts'
import type { Implementer } from '../router.ts'
import { createRunningApplies } from '../running-applies.ts'

/** What a person does with the changes of a branch, the workspace above all. */
export function changeHandlers(os: Implementer, { projects }: HostParts) {
  const applies = createRunningApplies()
  return {
    list: os.changes.list.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { base, blobs, textMerge } = project.services
      return listChanges({ base, blobs, textMerge, from: emptyTree, to: headOf(project, input.branchId) })
    }),
    diff: os.changes.diff.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const head = headOf(project, input.branchId)
      return fileDiff(project, input.path, await changedFile(project.services, emptyTree, head, input.path))
    }),
    revert: os.changes.revert.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      return change(project, input.branchId, planRevert(headOf(project, input.branchId), input.paths))
    }),
    revertHunks: os.changes.revertHunks.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const tree = headOf(project, input.branchId)
      const patch = chosenHunks(await planRevertHunks({ ...project.services, ...input, tree }))
      return change(project, input.branchId, patch)
    }),
    exportPatch: os.changes.exportPatch.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { bytes, ...exported } = await exportPatch(project, headOf(project, input.branchId), input.paths)
      return { ...exported, base64: Buffer.from(bytes).toString('base64'), text: new TextDecoder().decode(bytes) }
    }),
    planApply: os.changes.planApply.handler(async ({ input }) => ({
      files: await checkApply(projects.get(input.projectId), input.branchId, input.paths),
    })),
    apply: os.changes.apply.handler(({ input: { projectId, branchId, paths } }) =>
      applies.run(branchId, (signal) => applyToDisk(projects.get(projectId), branchId, paths, signal)),
    ),
    cancelApply: os.changes.cancelApply.handler(({ input }) => applies.cancel(input.branchId)),
    drift: os.changes.drift.handler(({ input }) => projects.get(input.projectId).services.drift.follow(input.branchId)),
    diskConflict: os.changes.diskConflict.handler(({ input }) =>
      diskConflict(projects.get(input.projectId), input.branchId, input.path),
    ),
    takeDisk: os.changes.takeDisk.handler(({ input }) =>
      takeDisk(projects.get(input.projectId), input.branchId, input.path, input.text),
    ),
    undoApply: os.changes.undoApply.handler(({ input }) =>
      undoApply(projects.get(input.projectId), input.branchId, input.sequence),
    ),
  }
}

function headOf({ services }: Project, branchId: BranchId): Tree {
  const head = services.log.trees.heads.get(branchId)
  if (!head) throw new WireError('NOT_FOUND', 'This branch does not exist in this project.')
  return head
}

/** One undoable entry of a person, if nobody else changed these paths while it was planned. */
function change(project: Project, branchId: BranchId, patch: Patch): { readonly sequence: Sequence } {
  if (!invertibleOn(headOf(project, branchId), invert(patch)))
    throw new WireError('CONFLICT', 'These files changed while this was prepared. Look at them and try again.')
  const threadId = ownerOf(project, branchId)
  const [entry] = project.services.log.append([{ type: 'tree.changed', threadId, branchId, patch, callId: null }])
  return { sequence: entry.sequence }
}

function ownerOf({ services }: Project, branchId: BranchId): ThreadId {
  const branch = services.log.state.branches.get(branchId)
  if (!branch) throw new WireError('NOT_FOUND', 'This branch does not exist in this project.')
  return branch.threadId
}
