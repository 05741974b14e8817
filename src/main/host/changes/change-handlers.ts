import { environmentOf } from '#core/branches/branch-trees.ts'
import { findHead, revertChanges, revertHunks, settleDrift, undoStep } from '#core/commands/changes.ts'
import { unwrap } from '#core/commands/command.ts'
import { changedFile, emptyTree, listChanges, type Tree } from '#overlay'
import type { BranchId } from '#shared/model/ids.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { diskConflict, fileDiff } from '../branches/compare-branches.ts'
import type { Project } from '../project/project.ts'
import { applyToDisk, checkApply, createRunningApplies, undoApply } from './apply.ts'
import { blameFile } from './blame-file.ts'
import { exportPatch, packPatch } from './export-patch.ts'
import { fileVersions } from './file-versions.ts'
import { findLeftInGit } from './left-in-git.ts'

/** A person's commands on the changes of a branch, above all the workspace. */
export function changeHandlers(os: Implementer, { projects }: HostParts) {
  const applies = createRunningApplies()
  return {
    list: os.changes.list.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { base, blobs, textMerge } = project.services
      return listChanges({
        base,
        blobs,
        textMerge,
        from: emptyTree,
        to: headOf(project, input.branchId),
        identified: true,
      })
    }),
    diff: os.changes.diff.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const head = headOf(project, input.branchId)
      return fileDiff(project, input.path, await changedFile(project.services, emptyTree, head, input.path))
    }),
    blame: os.changes.blame.handler(({ input }) => {
      const project = projects.get(input.projectId)
      return blameFile(project, headOf(project, input.branchId), input)
    }),
    versions: os.changes.versions.handler(({ input }) => {
      const project = projects.get(input.projectId)
      return fileVersions(project, headOf(project, input.branchId), input.path)
    }),
    leftInGit: os.changes.leftInGit.handler(({ input }) => {
      const project = projects.get(input.projectId)
      headOf(project, input.branchId)
      return findLeftInGit(project, input.branchId)
    }),
    revert: os.changes.revert.handler(async ({ input }) => {
      const { services, change } = projects.get(input.projectId)
      return change(revertChanges(services, input))
    }),
    revertHunks: os.changes.revertHunks.handler(async ({ input }) => {
      const { services, change } = projects.get(input.projectId)
      return change(await revertHunks(services, input))
    }),
    undoStep: os.changes.undoStep.handler(async ({ input }) => {
      const { services, change } = projects.get(input.projectId)
      return change(await undoStep(services, input))
    }),
    exportPatch: os.changes.exportPatch.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      return packPatch(
        await exportPatch(project, headOf(project, input.branchId), input.paths, {
          layers: environmentOf(project.services.log.trees, input.branchId),
        }),
      )
    }),
    planApply: os.changes.planApply.handler(async ({ input }) => ({
      files: await checkApply(projects.get(input.projectId), input.branchId, input.paths),
    })),
    apply: os.changes.apply.handler(({ input: { projectId, branchId, paths, expected, along } }) =>
      applies.run(branchId, (signal) =>
        applyToDisk(projects.get(projectId), branchId, paths, { signal, expected, along }),
      ),
    ),
    cancelApply: os.changes.cancelApply.handler(({ input }) => applies.cancel(input.branchId)),
    drift: os.changes.drift.handler(({ input }) => {
      const project = projects.get(input.projectId)
      headOf(project, input.branchId)
      return project.services.drift.follow(input.branchId)
    }),
    diskConflict: os.changes.diskConflict.handler(({ input }) =>
      diskConflict(projects.get(input.projectId), input.branchId, input.path),
    ),
    settleDrift: os.changes.settleDrift.handler(async ({ input }) => {
      const { services, change } = projects.get(input.projectId)
      return change(await settleDrift(services, input))
    }),
    undoApply: os.changes.undoApply.handler(({ input }) =>
      undoApply(projects.get(input.projectId), input.branchId, input.sequence),
    ),
  }
}

function headOf({ services }: Project, branchId: BranchId): Tree {
  return unwrap(findHead(services, branchId))
}
