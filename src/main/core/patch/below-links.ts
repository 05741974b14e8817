import { ancestorsOf, isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { LeafChange } from '../overlay/leaf-changes.ts'
import { createLocate, type Locate } from '../overlay/locate.ts'
import { emptyTree } from '../overlay/tree.ts'
import { type BaseTree, BaseTreeError } from '../ports/base-tree.ts'
import type { LeftOut } from './patch-file.ts'

/**
 * `git apply` looks at every path it will create, and at the folders above it, while the old files are still there.
 * Where the patch puts a folder in the place of a link, that look goes through the link: if it finds another link there
 * (`b/self -> ../b`) or none of it ever ends (`a -> a`), git refuses the whole patch. What it would refuse is left out,
 * and the source of what was moved there stays where it is.
 */
export async function leaveOutBelowLinks(
  base: BaseTree,
  changes: readonly LeafChange[],
): Promise<{ readonly carried: readonly LeafChange[]; readonly leftOut: readonly LeftOut[] }> {
  const links = new Set(changes.filter(({ before }) => before?.kind === 'symlink').map(({ path }) => path))
  const locate = createLocate(base, () => emptyTree)
  const leftOut = new Map<VirtualPath, string>()
  for (const { path, after, renamedFrom } of changes) {
    const link = after && ancestorsOf(path).find((folder) => links.has(folder))
    if (!link || !(await isRefused(locate, link, path))) continue
    leftOut.set(path, `Git cannot create it below ${link}, which is a link until the patch is applied.`)
    if (renamedFrom) leftOut.set(renamedFrom, `It was moved to ${path}, which is left out.`)
  }
  return {
    carried: changes.filter(({ path }) => !leftOut.has(path)),
    leftOut: [...leftOut].map(([path, why]) => ({ path, why })),
  }
}

async function isRefused(locate: Locate, link: VirtualPath, path: VirtualPath): Promise<boolean> {
  const folders = ancestorsOf(path).filter((folder) => folder !== link && isWithin(folder, link))
  for (const folder of folders) if ((await found(locate, folder)) === 'symlink') return true
  return (await found(locate, path)) === 'loop'
}

/** What a look at a path of the base finds; nothing where a link leads out of the project, which nobody can know. */
async function found(locate: Locate, path: VirtualPath): Promise<string | undefined> {
  try {
    return (await locate(path, false)).node?.kind
  } catch (error) {
    if (error instanceof BaseTreeError) return error.code === 'link_loop' ? 'loop' : undefined
    throw error
  }
}
