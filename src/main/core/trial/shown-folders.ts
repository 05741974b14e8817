import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type BaseTree, BaseTreeError } from '../ports/base-tree.ts'
import type { ShownFolder } from '../ports/branch-mounts.ts'
import type { FolderBeside, RealFolder } from '../ports/real-folder.ts'
import type { FileAccess } from '../secrets/file-access.ts'
import { isGitConfig } from '../secrets/git-credentials.ts'
import { secretContentBytes } from '../secrets/secret-files.ts'
import { secretsQuery } from './hidden-files.ts'

/** Real folders of the person as programs see them, and what they do not see of them. */
export interface ShownFolders {
  readonly folders: readonly ShownFolder[]
  /** The hidden files by the paths of the file tools, sorted within each folder. */
  readonly paths: readonly VirtualPath[]
}

/**
 * The real folders that programs may read. What the agent may not read without asking is hidden, as
 * in the project; so are the settings of repositories, which may hold logins. Nothing is hidden from a `person`.
 */
export async function findShownFolders(
  beside: readonly FolderBeside[],
  access: FileAccess | 'person',
): Promise<ShownFolders> {
  const folders = await Promise.all(
    beside.map(async ({ path, name, folder }) => {
      const hidden = access === 'person' ? [] : await findHidden(path, folder, access)
      return { path, name, folder: folder.path, hidden }
    }),
  )
  return { folders, paths: folders.flatMap(({ path, hidden }) => hidden.map((file) => joinPath(path, file.slice(1)))) }
}

async function findHidden(place: VirtualPath, { base, search }: RealFolder, access: FileAccess) {
  const { all, found, unsearched } = await search.scan(secretsQuery)
  const suspects = new Set([...found, ...unsearched])
  const hidden: VirtualPath[] = []
  for (const path of all) {
    const name = joinPath(place, path.slice(1))
    if (access.mayRead(name) && !suspects.has(path) && !isGitConfig(path)) continue
    // A link leads to a file that is looked at itself, or out of the folder.
    if ((await base.statUnlinked(path))?.kind !== 'file') continue
    if (isGitConfig(path) || !access.mayReadByRules(name) || !(await maySee(base, path, name, access)))
      hidden.push(path)
  }
  return hidden
}

/** True also for a file that cannot be read: no program can read it either. */
async function maySee(base: BaseTree, path: VirtualPath, name: VirtualPath, access: FileAccess): Promise<boolean> {
  try {
    return access.mayShow(name, await base.read(path, { offset: 0, length: secretContentBytes }))
  } catch (error) {
    if (error instanceof BaseTreeError) return true
    throw error
  }
}
