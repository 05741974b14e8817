import { diskSides, joinedWithDisk, planTakeDisk } from '#core/branches/take-disk.ts'
import { exactText } from '#core/overlay/binary.ts'
import { readNode } from '#core/overlay/nodes.ts'
import { emptyTree } from '#core/overlay/tree.ts'
import type { ConflictSides } from '#shared/contract/views.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from './composition/project.ts'

/** Pin, workspace and disk of a path that was changed in both, for the conflict view before an apply. */
export async function diskConflict(project: Project, branchId: BranchId, path: VirtualPath): Promise<ConflictSides> {
  const { entry, disk } = await movedApart(project, branchId, path)
  const text = (node: TreeNode | null) =>
    node?.kind === 'file' ? (exactText(readNode(project.services.blobs, node)) ?? null) : null
  return { path, conflict: null, base: text(entry.pin), ours: text(entry.node), theirs: text(disk) }
}

/** Brings a path up to the disk: by `text`, or, without one, by joining both changes where they do not overlap. */
export async function takeDisk(
  project: Project,
  branchId: BranchId,
  path: VirtualPath,
  text: string | null,
): Promise<{ readonly sequence: Sequence }> {
  const { services } = project
  const sides = await movedApart(project, branchId, path)
  const result = text ?? (await joinedWithDisk(sides, services))
  if (result === null) {
    throw new WireError(
      'CONFLICT',
      `${path} was changed on disk in the same place, or is no text. Open the conflict and decide.`,
    )
  }
  const patch = planTakeDisk(services, path, sides, result)
  const threadId = services.log.state.branches.get(branchId)?.threadId
  if (!threadId) throw new WireError('NOT_FOUND', 'This branch does not exist in this project.')
  const [entry] = services.log.append([{ type: 'tree.changed', threadId, branchId, patch, callId: null }])
  return { sequence: entry.sequence }
}

async function movedApart({ services }: Project, branchId: BranchId, path: VirtualPath) {
  const sides = await diskSides(services, services.log.trees.heads.get(branchId) ?? emptyTree, path)
  if (!sides) throw new WireError('NOT_FOUND', `${path} is as it was on disk. There is nothing to decide.`)
  return sides
}
