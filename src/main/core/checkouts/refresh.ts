import { createOverlayTree, diffTrees, isLeaf, type Tree, type VirtualPath } from '#overlay'
import { type BaseNode, BaseTreeError } from '../ports/base-tree.ts'
import type { CheckoutContent, CheckoutFolder } from '../ports/stores/checkout-folder.ts'
import { contentAt, listBranch } from './branch-files.ts'
import { isAt, type TakeBackSources } from './take-back.ts'

/** Brings what others changed on a branch to a folder that stands for it, but for what is not in that folder. */
export function createRefresh(
  sources: TakeBackSources,
  folder: CheckoutFolder,
  isElsewhere: (path: VirtualPath) => boolean,
) {
  /** The branch that the folder shows, where the person changed nothing. Null when that is not known. */
  let shown: Tree | null = null
  /** The nodes of the branch as they were when the folder last got them, so that an unchanged file is not read again. */
  const marks = new Map<VirtualPath, string>()

  /** Paths at which the folder may have to change. Null for all. */
  function movedPaths(tree: Tree): readonly VirtualPath[] | null {
    if (shown === null) return null
    const steps = diffTrees(shown, tree)
    const isPlain = steps.every(([, step]) => step.every((entry) => entry === null || isLeaf(entry.node)))
    return isPlain ? steps.map(([path]) => path) : null
  }

  /** Where the person changed a file meanwhile, theirs stays until it was taken back. */
  async function refresh(tree: Tree): Promise<void> {
    const files = createOverlayTree({ ...sources, tree })
    const moved = movedPaths(tree)
    const nodes = moved === null ? (await listBranch(sources, tree)).nodes : null
    const wanted = moved ?? [...new Set([...folder.paths(), ...(nodes?.keys() ?? [])])]
    let isWhole = true
    const put = (path: VirtualPath, content: CheckoutContent) => {
      const isThere = isAt(sources, folder.nodeAt(path), content) || folder.put(path, content)
      isWhole &&= isThere
      return isThere
    }
    const written: VirtualPath[] = []
    for (const path of wanted) {
      if (isElsewhere(path)) continue
      // What goes makes room for what comes.
      if (nodes ? nodes.has(path) : isFile(await files.stat(path))) written.push(path)
      else put(path, null)
    }
    for (const path of written) {
      const node = nodes?.get(path)
      const mark = node && JSON.stringify(node)
      if (mark !== undefined && marks.get(path) === mark && folder.nodeAt(path)) continue
      const content = await contentAt(files, path, node).catch((error: unknown) => {
        if (error instanceof BaseTreeError) return undefined
        throw error
      })
      // What may not be read is left as it is.
      if (content === undefined) continue
      const isThere = put(path, content)
      if (isThere && mark !== undefined) marks.set(path, mark)
      else marks.delete(path)
    }
    folder.save()
    shown = isWhole ? tree : null
  }

  return {
    refresh,
    /** The folder shows the branch as this tree has it, and nobody changed anything in it yet. */
    begin(tree: Tree): void {
      shown = tree
    },
  }
}

function isFile(node: BaseNode | undefined): boolean {
  return node?.kind === 'file' || node?.kind === 'symlink'
}
