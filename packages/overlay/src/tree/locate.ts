import { type OverlayEntry, permissionsOf } from '../model/tree-node.ts'
import { isWithin, joinPath, parentOf, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import { type BaseNode, type BaseTree, BaseTreeError } from '../ports/base-tree.ts'
import { entryAt, hidesBase, hidesBelow, isBelowMade, type Tree } from './tree.ts'

/** Where a path leads in a tree, and what is there. */
export interface Located {
  /** The path with links replaced by their targets. */
  readonly path: VirtualPath
  /** Undefined when nothing is there. */
  readonly node: BaseNode | undefined
  /** Null when the overlay did not change the path. */
  readonly entry: OverlayEntry | null
  /** A file where a folder is needed above the path; absent when there is none. */
  readonly blockedBy?: VirtualPath
}

export type Locate = (path: VirtualPath, followLast: boolean) => Promise<Located>

const linkLimit = 40

/**
 * Walks a path component by component through the merged base and overlay, following links that stay inside the root.
 * Without an overlay entry or a link on the way, one lookup in the base is enough. Otherwise base folders on the way
 * are cached for the life of the tree, so that a file costs one lookup.
 */
export function createLocate(base: BaseTree, currentTree: () => Tree): Locate {
  const folders = new Map<VirtualPath, BaseNode>()

  async function baseStat(path: VirtualPath, inner: boolean): Promise<BaseNode | undefined> {
    const known = inner ? folders.get(path) : undefined
    if (known) return known
    const node = await base.stat(path)
    if (inner && node?.kind === 'directory') folders.set(path, node)
    return node
  }

  /** Looks only at the base. Undefined when a link may have to be followed. */
  async function locateUntouched(tree: Tree, path: VirtualPath, followLast: boolean): Promise<Located | undefined> {
    if (entryAt(tree, path) !== null || hidesBase(tree, path)) return undefined
    const node = folders.get(path) ?? (await base.statUnlinked(path))
    if (node?.kind === 'directory') folders.set(path, node)
    // In a folder that no link leads to, a name without anything is no link either.
    if (!node && folders.has(parentOf(path))) return { path, node: undefined, entry: null }
    return node && !(followLast && node.kind === 'symlink') ? { path, node, entry: null } : undefined
  }

  return async (path, followLast) => {
    const tree = currentTree()
    const found = await locateUntouched(tree, path, followLast)
    if (found) return found
    const waiting = components(path).reverse()
    let current: VirtualPath = rootPath
    let covered = false
    let link = path
    /** Files on the way that were used as folders, since `..` may lead out of them again. */
    const passed: VirtualPath[] = []
    for (let links = 0; waiting.length > 0; ) {
      const name = waiting.pop() ?? ''
      if (name === '..') {
        if (current === rootPath || base.roots?.().includes(current)) throw leavesRoot(path, link)
        current = parentOf(current)
        covered = await isCovered(base, tree, current)
        continue
      }
      const next = joinPath(current, name)
      const last = waiting.length === 0
      const entry = entryAt(tree, next)
      const node = entry ? toBaseNode(entry) : covered ? undefined : await baseStat(next, !last)
      if (node?.kind === 'symlink' && (!last || followLast)) {
        links += 1
        if (links > linkLimit) throw new BaseTreeError('link_loop', path, `${path} goes through a loop of links.`)
        link = next
        const target = node.target.startsWith('/') ? base.targetInside(node.target) : node.target
        if (target === undefined) throw leavesRoot(path, link)
        if (target.startsWith('/')) {
          current = rootPath
          covered = false
        }
        waiting.push(...components(target).reverse())
        continue
      }
      if (last) return { path: next, node, entry }
      if (node && node.kind !== 'directory') passed.push(next)
      if (node?.kind !== 'directory' && !waiting.includes('..')) return unreachable(next, passed, waiting.reverse())
      current = next
      covered ||= entry !== null && (hidesBelow(entry) || !(await isFolderOfBase(base, next)))
    }
    const entry = entryAt(tree, current)
    return { path: current, node: entry ? toBaseNode(entry) : await baseStat(current, true), entry }
  }
}

/** Nothing can exist at the rest of the path, because a folder on the way is missing or is not a folder. */
function unreachable(at: VirtualPath, files: readonly VirtualPath[], rest: readonly string[]): Located {
  const blockedBy = files.find((file) => isWithin(at, file))
  return { path: rest.reduce<VirtualPath>(joinPath, at), node: undefined, entry: null, ...(blockedBy && { blockedBy }) }
}

/** True when nothing of the base can be seen in this folder. */
async function isCovered(base: BaseTree, tree: Tree, path: VirtualPath): Promise<boolean> {
  if (path === rootPath) return false
  const entry = entryAt(tree, path)
  if ((entry && hidesBelow(entry)) || hidesBase(tree, path)) return true
  return (entry !== null || isBelowMade(tree, path)) && !(await isFolderOfBase(base, path))
}

/** False for a link to a folder, which must not show in the place of a folder that the branch made. */
async function isFolderOfBase(base: BaseTree, path: VirtualPath): Promise<boolean> {
  return (await base.statUnlinked(path))?.kind === 'directory'
}

function leavesRoot(path: VirtualPath, link: VirtualPath): BaseTreeError {
  return new BaseTreeError('link_leaves_root', path, `The link ${link} leaves the project folder and is not followed.`)
}

/** An entry as a listing shows it. A time of 0 means that none was kept. */
export function toBaseNode({ node, changedAt: modified = 0 }: OverlayEntry): BaseNode | undefined {
  switch (node?.kind) {
    case undefined:
      return undefined
    case 'file':
      return { kind: 'file', size: node.size, modified, ...permissionsOf(node) }
    case 'symlink':
      return { kind: 'symlink', target: node.target, modified }
    case 'directory':
      return { kind: 'directory', modified }
  }
}

function components(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}
