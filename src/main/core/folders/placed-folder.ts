import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { pathFrom, pathIn } from '../paths/project-folders.ts'
import { type BaseNode, type BaseTree, BaseTreeError } from '../ports/base-tree.ts'
import type { RealFolder } from '../ports/real-folder.ts'
import type { Search, SearchScope } from '../ports/search.ts'

/** A real folder as it is seen below a path of the agent. */
export interface PlacedFolder {
  readonly base: BaseTree
  readonly search: Search
  /** The path in the real folder, with `/` as the folder itself. */
  inner(path: VirtualPath): VirtualPath
}

/** Shows a real folder and its search below `root`. */
export function placeFolder(folder: Pick<RealFolder, 'path' | 'base' | 'search'>, root: VirtualPath): PlacedFolder {
  const inner = (path: VirtualPath) => pathIn({ root }, path)
  const outer = (path: VirtualPath) => pathFrom({ root }, path)
  return {
    inner,
    base: placeBase(folder, root),
    search: {
      async grep(query, scope, signal) {
        const found = await folder.search.grep(query, innerScope(scope, inner), signal)
        return { ...found, files: found.files.map((file) => ({ ...file, path: outer(file.path) })) }
      },
      files: async (globs, scope, signal) =>
        (await folder.search.files(globs, innerScope(scope, inner), signal)).map(outer),
    },
  }
}

/**
 * Shows a real folder below `root`. Nothing outside of it exists here, so a link that leaves it leads nowhere. Errors
 * name the agent's paths.
 */
export function placeBase(folder: Pick<RealFolder, 'path' | 'base'>, root: VirtualPath): BaseTree {
  const inner = (path: VirtualPath) => pathIn({ root }, path)
  const above: BaseNode = { kind: 'directory', modified: 0 }
  const isAbove = (path: VirtualPath): boolean => path !== root && isWithin(root, path)

  /** A link whose target lies outside the place was followed to here. */
  function refuseOutside(path: VirtualPath): void {
    if (isWithin(path, root)) return
    throw new BaseTreeError(
      'link_leaves_root',
      path,
      `A link in ${root} leaves the folder ${JSON.stringify(folder.path)} and is not followed.`,
    )
  }

  async function askBelow<Value>(path: VirtualPath, ask: (own: VirtualPath) => Promise<Value>): Promise<Value> {
    refuseOutside(path)
    try {
      return await ask(inner(path))
    } catch (error) {
      throw error instanceof BaseTreeError ? new BaseTreeError(error.code, path, wordsFor(error, path)) : error
    }
  }

  function wordsFor({ code, message }: BaseTreeError, path: VirtualPath): string {
    switch (code) {
      case 'not_found':
        return `There is no file at ${path}.`
      case 'not_a_file':
        return `${path} is not a regular file.`
      case 'link_leaves_root':
        return `A link at ${path} leaves the folder ${JSON.stringify(folder.path)} and is not followed.`
      case 'link_loop':
        return `${path} goes through a loop of links.`
      case 'unreadable':
        return `${path} could not be read in the folder ${JSON.stringify(folder.path)}, or it changed meanwhile. Try again.`
      case 'too_large':
      case 'name_too_long':
        return `${path}: ${message}`
    }
  }

  const nodeAt = async (path: VirtualPath, look: (own: VirtualPath) => Promise<BaseNode | undefined>) =>
    isAbove(path) ? above : askBelow(path, look)

  return {
    stat: (path) => nodeAt(path, (own) => folder.base.stat(own)),
    statUnlinked: (path) => nodeAt(path, (own) => folder.base.statUnlinked(own)),
    list: async (path, signal) => (isAbove(path) ? undefined : askBelow(path, (own) => folder.base.list(own, signal))),
    read: (path, range) => askBelow(path, (own) => folder.base.read(own, range)),
    readUnlinked: async (path, range) =>
      isAbove(path) ? undefined : askBelow(path, (own) => folder.base.readUnlinked(own, range)),
    hashUnlinked: async (path, signal) =>
      isAbove(path) ? undefined : askBelow(path, (own) => folder.base.hashUnlinked(own, signal)),
    targetInside(target) {
      const own = folder.base.targetInside(target)
      return own === undefined ? undefined : `${root}${own === '/' ? '' : own}`
    },
  }
}

/** A scope with the paths of one folder. The overlay's bytes stay unread. */
export function innerScope(scope: SearchScope, inner: (path: VirtualPath) => VirtualPath): SearchScope {
  return {
    ...scope,
    path: inner(scope.path),
    hidden: scope.hidden.map(inner),
    ...(scope.made && { made: scope.made.map(inner) }),
    overlay: scope.overlay.map((text) => ({
      path: inner(text.path),
      ...(text.hash !== undefined && { hash: text.hash }),
      get bytes() {
        return text.bytes
      },
    })),
  }
}
