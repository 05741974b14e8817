import {
  createOverlayTransaction,
  diffTrees,
  type OverlayTransaction,
  type Tree,
  type TreeEditorOptions,
} from '#overlay'
import { samePermissions } from '#shared/model/tree-node.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { MountChange } from '../ports/branch-mounts.ts'
import { FileTreeError } from '../ports/file-tree.ts'
import { keepChanges } from './keep.ts'
import type { Trial } from './open-trial.ts'

export type KeptOnto =
  | {
      readonly kind: 'kept'
      /** The newer tree with the changes that were kept. */
      readonly branch: OverlayTransaction
      /** What was kept. */
      readonly own: readonly MountChange[]
      /** Where the branch has its own version, which stays. */
      readonly left: readonly VirtualPath[]
    }
  | { readonly kind: 'refused'; readonly message: string }

/**
 * Keeps what programs of a trial changed onto `now`, to which its branch has moved on. What the branch changed meanwhile
 * stays as the branch has it; all other changes are kept, or none. `moved` names what it changed, even if it changed it
 * back.
 */
export async function keepOnto(
  services: Omit<TreeEditorOptions, 'tree'>,
  trial: Pick<Trial, 'tree' | 'hidden'>,
  changes: readonly MountChange[],
  { now, moved }: { readonly now: Tree; readonly moved: Iterable<VirtualPath> },
): Promise<KeptOnto> {
  const sinceThen = [...diffTrees(trial.tree, now).map(([path]) => path), ...moved]
  const { own, left } = await divide(createOverlayTransaction({ ...services, tree: now }), changes, sinceThen)
  const branch = createOverlayTransaction({ ...services, tree: now })
  try {
    await keepChanges(branch, own, trial)
  } catch (error) {
    if (!(error instanceof FileTreeError)) throw error
    return { kind: 'refused', message: error.message }
  }
  return { kind: 'kept', branch, own, left }
}

/** Separates the changes of programs from those at paths that the branch changed meanwhile. */
async function divide(branch: OverlayTransaction, changes: readonly MountChange[], moved: readonly VirtualPath[]) {
  const own: MountChange[] = []
  const left: VirtualPath[] = []
  for (const change of changes) {
    const touches = (path: VirtualPath) =>
      isWithin(path, change.path) ||
      (change.kind !== 'directory' && isWithin(change.path, path) && path !== change.path)
    if (!moved.some(touches) || (await isSafeBelow(branch, change, moved))) own.push(change)
    else if (!(await isSame(branch, change))) left.push(change.path)
  }
  return { own, left }
}

/** True for a change inside a folder that the branch made, or whose entry changed, and that is still a folder. */
async function isSafeBelow(
  branch: OverlayTransaction,
  { path }: MountChange,
  moved: readonly VirtualPath[],
): Promise<boolean> {
  if (moved.some((one) => isWithin(one, path))) return false
  for (const above of moved.filter((one) => isWithin(path, one)))
    if ((await branch.stat(above))?.kind !== 'directory') return false
  return true
}

/** True when the branch has already what the programs left: usually they were shown it. */
async function isSame(branch: OverlayTransaction, change: MountChange): Promise<boolean> {
  const node = await branch.stat(change.path)
  switch (change.kind) {
    case 'absent':
      return node === undefined
    case 'directory':
      return node?.kind === 'directory'
    case 'symlink':
      return node?.kind === 'symlink' && node.target === change.target
    case 'large':
      return false
    case 'file': {
      if (node?.kind !== 'file' || !samePermissions(node, change) || node.size !== change.bytes.length) return false
      const bytes = await branch.read(change.path)
      return bytes.every((byte, index) => byte === change.bytes[index])
    }
  }
}
