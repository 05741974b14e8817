import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { FileTreeError } from '../ports/file-tree.ts'

/** Characters that HFS+ leaves out of a comparison of names, and other invisible ones that hide a name from people. */
const ignorable = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/** True for `.git` and every spelling that some file system opens as `.git`: case, `git~1`, trailing dots, streams. */
export function isGitName(name: string): boolean {
  return name.split('\\').some((part) => /^(?:\.git|git~\d+)$/.test(opened(part)))
}

/** The same for `.gitmodules`, whose short names git counts to 4. */
export function isGitModulesName(name: string): boolean {
  return name.split('\\').some((part) => /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~\d+)$/.test(opened(part)))
}

/** The name that the most forgiving file system would open. */
function opened(name: string): string {
  const [plain = ''] = name.replace(ignorable, '').normalize('NFKC').toLowerCase().split(':')
  return plain.replace(/[. ]+$/, '')
}

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
