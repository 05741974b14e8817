import { isGitName } from '#shared/model/git-names.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { FileTreeError } from '../ports/file-tree.ts'

/** Throws when a component of the path is git's own folder: writing there would change the repository, or run hooks. */
export function refuseGit(path: VirtualPath): void {
  const name = path.split('/').find(isGitName)
  if (name !== undefined) {
    throw new FileTreeError(
      'refused',
      path,
      `${path} is inside git's own folder (${JSON.stringify(name)}), which is never written. Work on the project's files instead.`,
    )
  }
}
