import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { isWithin, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { OverlayTransaction } from '../../overlay/overlay-transaction.ts'
import { viewEntries } from '../../overlay/view-entries.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { BranchView, BranchViews, ViewCapture, ViewChange, ViewEntry } from '../../ports/branch-views.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import type { ToolContext } from '../tool.ts'

/** The calling thread's branch as real files, for code that runs without approval. */
export interface CodeView extends AsyncDisposable {
  /** Without the files that the agent may not read, and without `.git`. */
  readonly view: Pick<BranchView, 'folder' | 'enter'>
  /** Makes what the code changed changes of the branch: all, or nothing and a `FileTreeError`. */
  takeOver(): Promise<ViewCapture>
}

type CodeContext = Pick<ToolContext, 'access' | 'branch' | 'files' | 'signal'>
export type OpenCodeView = (context: CodeContext) => Promise<CodeView>

/**
 * Files that no code may read without being asked are not in the view, nor is `.git`, whose hooks and settings a later
 * command would run. The view is not the one that commands share: what stays behind in that one is run by them.
 */
export function createOpenCodeView(views: BranchViews, blobs: BlobStore, branchId: BranchId): OpenCodeView {
  const owner = `${branchId} code`
  return async ({ access, branch, files, signal }) => {
    const hidden = (await files.glob('**', rootPath, true, signal)).filter((path) => !access.mayRead(path))
    const overlay = without(viewEntries(branch.tree, blobs), [...hidden, '/.git' as VirtualPath])
    const view = await views.open({ owner, overlay }, signal)
    return {
      view,
      async takeOver() {
        const captured = await view.capture()
        for (const { path } of captured.changes) refuseProtected(path, hidden, access.mayChange)
        await takeOver(branch, captured.changes)
        return captured
      },
      async [Symbol.asyncDispose]() {
        await view[Symbol.asyncDispose]()
        await views.remove(owner)
      },
    }
  }
}

function without(entries: readonly ViewEntry[], hidden: readonly VirtualPath[]): readonly ViewEntry[] {
  const paths = new Set(hidden)
  const absent = hidden.map((path): ViewEntry => ({ kind: 'absent', path }))
  return [...entries.filter(({ path }) => !paths.has(path)), ...absent].sort((a, b) => byCodeUnit(a.path, b.path))
}

/** A folder that the code removed or replaced may hold files that it could not see. */
function refuseProtected(
  path: VirtualPath,
  hidden: readonly VirtualPath[],
  mayChange: (path: VirtualPath) => boolean,
): void {
  const kept = mayChange(path) ? hidden.find((file) => isWithin(file, path)) : path
  if (kept === undefined) return
  throw new FileTreeError(
    'refused',
    kept,
    `${kept} is protected by a rule or may hold secrets, so code cannot change or remove it. None of the run’s changes were kept. Use the file tools for it, which ask.`,
  )
}

/** Opens the calling thread's branch, with what the call changed so far, as real files. */
export type ViewBranch = (context: Pick<ToolContext, 'branch' | 'signal'>) => Promise<BranchView>

export function createViewBranch(views: BranchViews, blobs: BlobStore, owner: BranchId): ViewBranch {
  return ({ branch, signal }) => views.open({ owner, overlay: viewEntries(branch.tree, blobs) }, signal)
}

/** Makes what was changed in a view changes of the branch. */
export async function takeOver(branch: OverlayTransaction, changes: readonly ViewChange[]): Promise<void> {
  for (const change of changes) await takeOverOne(branch, change)
}

async function takeOverOne(branch: OverlayTransaction, change: ViewChange): Promise<void> {
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
async function removeOther(
  branch: OverlayTransaction,
  path: VirtualPath,
  kind: 'file' | 'directory' | 'none',
): Promise<void> {
  const node = await branch.stat(path)
  if (node && node.kind !== kind) await branch.delete(path)
  const parent = await branch.stat(parentOf(path))
  if (parent && parent.kind !== 'directory') await branch.delete(parentOf(path))
}
