import type { BranchId } from '#shared/model/ids.ts'
import { parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Draft } from '../overlay/draft.ts'
import { viewEntries } from '../overlay/view-entries.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { BranchView, BranchViews, ViewChange } from '../ports/branch-views.ts'
import type { ToolContext } from './tool.ts'

/** Opens the calling thread's branch, with what the call changed so far, as real files. */
export type ViewBranch = (context: Pick<ToolContext, 'branch' | 'signal'>) => Promise<BranchView>

export function createViewBranch(views: BranchViews, blobs: BlobStore, owner: BranchId): ViewBranch {
  return ({ branch, signal }) => views.open({ owner, overlay: viewEntries(branch.tree, blobs) }, signal)
}

/** Makes what was changed in a view changes of the branch. */
export async function takeOver(branch: Draft, changes: readonly ViewChange[]): Promise<void> {
  for (const change of changes) await takeOverOne(branch, change)
}

async function takeOverOne(branch: Draft, change: ViewChange): Promise<void> {
  switch (change.kind) {
    case 'file':
      await removeOther(branch, change.path, 'file')
      await branch.write(change.path, change.bytes, { executable: change.executable })
      return
    case 'symlink':
      await removeOther(branch, change.path, 'none')
      return branch.makeSymlink(change.path, change.target)
    case 'directory':
      await removeOther(branch, change.path, 'directory')
      return branch.makeDirectory(change.path)
    case 'absent':
      if (await branch.stat(change.path)) await branch.delete(change.path)
  }
}

/** A path that changed its kind is removed first, and a link is never written through. */
async function removeOther(branch: Draft, path: VirtualPath, kind: 'file' | 'directory' | 'none'): Promise<void> {
  const node = await branch.stat(path)
  if (node && node.kind !== kind) await branch.delete(path)
  const parent = await branch.stat(parentOf(path))
  if (parent && parent.kind !== 'directory') await branch.delete(parentOf(path))
}
