import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { LeafChange } from '../overlay/leaf-changes.ts'
import { createLocate } from '../overlay/locate.ts'
import { emptyTree } from '../overlay/tree.ts'
import { type BaseTree, BaseTreeError } from '../ports/base-tree.ts'
import type { CollectedPatch } from './collect-patch-files.ts'

/**
 * `git apply` looks at every path it will create while the old files are still there. Below a link that leads in a loop
 * that look fails (ELOOP), and git refuses the whole patch although it takes the link away itself. So what is to be
 * below such a link is left out, and the source of what was moved there stays where it is.
 */
export async function leaveOutBelowLoops(
  base: BaseTree,
  changes: readonly LeafChange[],
): Promise<{ readonly carried: readonly LeafChange[]; readonly leftOut: CollectedPatch['leftOut'] }> {
  const loops = await replacedLoops(base, changes)
  if (loops.size === 0) return { carried: changes, leftOut: [] }
  const leftOut = new Map<VirtualPath, string>()
  for (const { path, after, renamedFrom } of changes) {
    const link = after && ancestorsOf(path).find((folder) => loops.has(folder))
    if (!link) continue
    leftOut.set(path, `Git cannot put a folder in the place of ${link}, a link that leads in a loop.`)
    if (renamedFrom) leftOut.set(renamedFrom, `It was moved to ${path}, which is left out.`)
  }
  return {
    carried: changes.filter(({ path }) => !leftOut.has(path)),
    leftOut: [...leftOut].map(([path, why]) => ({ path, why })),
  }
}

/** The links of the base with something below them afterwards that lead nowhere but round and round. */
async function replacedLoops(base: BaseTree, changes: readonly LeafChange[]): Promise<ReadonlySet<VirtualPath>> {
  const folders = new Set(changes.flatMap(({ path, after }) => (after ? ancestorsOf(path) : [])))
  const links = changes.filter(({ path, before }) => before?.kind === 'symlink' && folders.has(path))
  const locate = createLocate(base, () => emptyTree)
  const loops = new Set<VirtualPath>()
  for (const { path } of links) {
    const isLoop = await locate(path, true).then(() => false, isLoopError)
    if (isLoop) loops.add(path)
  }
  return loops
}

function isLoopError(error: unknown): boolean {
  if (error instanceof BaseTreeError) return error.code === 'link_loop'
  throw error
}
