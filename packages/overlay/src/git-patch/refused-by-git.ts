import { isGitModulesName } from '../model/git-names.ts'
import { ancestorsOf, isWithin, nameOf, type VirtualPath } from '../model/virtual-path.ts'
import { type BaseTree, BaseTreeError } from '../ports/base-tree.ts'
import type { LeafChange } from '../tree/changes.ts'
import { createLocate, type Locate } from '../tree/locate.ts'
import { emptyTree } from '../tree/tree.ts'
import type { LeftOut } from './patch-file.ts'

/**
 * Leaves out what git would refuse, since git would refuse the whole patch. The other half of a rename is left out too,
 * so its source stays where it is.
 */
export async function leaveOutRefused(
  base: BaseTree,
  changes: readonly LeafChange[],
): Promise<{ readonly carried: readonly LeafChange[]; readonly leftOut: readonly LeftOut[] }> {
  const links = new Set(changes.filter(({ before }) => before?.kind === 'symlink').map(({ path }) => path))
  const locate = createLocate(base, () => emptyTree)
  const leftOut = new Map<VirtualPath, string>()
  for (const change of changes) {
    const why = isModulesLink(change) ? modulesWhy : await belowLink(locate, links, change)
    if (why !== undefined) leftOut.set(change.path, why)
  }
  for (const { path, renamedFrom } of changes) {
    if (!renamedFrom) continue
    if (leftOut.has(path)) leftOut.set(renamedFrom, `It was moved to ${path}, which is left out.`)
    else if (leftOut.has(renamedFrom)) leftOut.set(path, `It was moved from ${renamedFrom}, which is left out.`)
  }
  return {
    carried: changes.filter(({ path }) => !leftOut.has(path)),
    leftOut: [...leftOut].map(([path, why]) => ({ path, why })).sort((a, b) => (a.path < b.path ? -1 : 1)),
  }
}

const modulesWhy = 'Git refuses a link named .gitmodules.'

function isModulesLink({ path, before, after }: LeafChange): boolean {
  return (before?.kind === 'symlink' || after?.kind === 'symlink') && isGitModulesName(nameOf(path))
}

/**
 * Why git would refuse a new path below a link; undefined when it would not. `git apply` looks at every new path and
 * the folders above it while the old files still exist. If the patch replaces a link by a folder, that look goes
 * through the link. Git refuses when it finds another link there (`b/self -> ../b`) or a loop (`a -> a`).
 */
async function belowLink(
  locate: Locate,
  links: ReadonlySet<VirtualPath>,
  { path, after }: LeafChange,
): Promise<string | undefined> {
  const link = after && ancestorsOf(path).find((folder) => links.has(folder))
  const refused = link && (await isRefused(locate, link, path))
  return refused ? `Git cannot create it below ${link}, which is a link until the patch is applied.` : undefined
}

async function isRefused(locate: Locate, link: VirtualPath, path: VirtualPath): Promise<boolean> {
  const folders = ancestorsOf(path).filter((folder) => folder !== link && isWithin(folder, link))
  for (const folder of folders) if ((await findKind(locate, folder)) === 'symlink') return true
  return (await findKind(locate, path)) === 'loop'
}

/**
 * The kind of node at a path of the base, or `loop` for a loop of links. Undefined when a link leads out of the
 * project.
 */
async function findKind(locate: Locate, path: VirtualPath): Promise<string | undefined> {
  try {
    return (await locate(path, false)).node?.kind
  } catch (error) {
    if (error instanceof BaseTreeError) return error.code === 'link_loop' ? 'loop' : undefined
    throw error
  }
}
