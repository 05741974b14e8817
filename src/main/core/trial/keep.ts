import type { OverlayTransaction } from '#overlay'
import { isWithin, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import type { MountChange } from '../ports/branch-mounts.ts'
import { FileTreeError } from '../ports/file-tree.ts'
import type { Trial } from './open-trial.ts'

/**
 * Keeps what programs of a trial changed: turns it into changes of `branch`. Throws a `FileTreeError` when a change
 * is at a path that `mayChange` refuses, or would replace or remove a file that the programs could not see; `branch` is
 * then to be thrown away. Absent `mayChange` for rules that are judged later, with everything else that a call changed.
 */
export async function keepChanges(
  branch: OverlayTransaction,
  changes: readonly MountChange[],
  { hidden }: Pick<Trial, 'hidden'>,
  mayChange: (path: VirtualPath) => boolean = () => true,
): Promise<void> {
  for (const { path } of changes) refuseProtected(path, hidden.paths, mayChange)
  // First, while the paths that large files came from still have them.
  await branch.carryFiles(
    changes.filter((change) => change.kind === 'large').map(({ path, ...rest }) => ({ to: path, ...rest })),
  )
  for (const change of changes) if (change.kind !== 'large') await keepOne(branch, change)
}

async function keepOne(branch: OverlayTransaction, change: Exclude<MountChange, { kind: 'large' }>): Promise<void> {
  switch (change.kind) {
    case 'file':
      await removeOther(branch, change.path, 'file')
      await branch.write(change.path, change.bytes, change)
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

/** Removes a path that changed its kind, so that nothing is written through a link. */
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

/** Refuses to change a protected path, and what would replace or remove a file that the program could not see. */
function refuseProtected(
  path: VirtualPath,
  hidden: readonly VirtualPath[],
  mayChange: (path: VirtualPath) => boolean,
): void {
  const kept = mayChange(path) ? hidden.find((file) => isWithin(file, path) || isWithin(path, file)) : path
  if (kept === undefined) return
  throw new FileTreeError(
    'refused',
    kept,
    `${shownName(kept)} is protected by a rule or may hold secrets, so programs cannot change or remove it. None of the changes were kept. Use the file tools for it, which ask.`,
  )
}
