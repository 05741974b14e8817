import { noGit } from '#overlay'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { nameOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { folderWith, type InFolder, othersOf, pathIn } from '../paths/project-folders.ts'
import type { BaseTree, GitIgnores } from '../ports/base-tree.ts'
import { placeBase } from './placed-folder.ts'

export interface FolderBase extends InFolder {
  /** Absolute, for people. */
  readonly path: string
  readonly base: BaseTree
}

/** The bases of several folders as one. A link leads from one folder into another only by an absolute path. */
export function joinBases(folders: readonly [FolderBase, ...FolderBase[]]): BaseTree {
  const [first] = folders
  const others = othersOf(folders)
  if (others.length === 0) return first.base
  const shown = new Map<FolderBase, BaseTree>(others.map((one) => [one, placeBase(one, one.root)]))
  const of = (path: VirtualPath): BaseTree => shown.get(folderWith(folders, path)) ?? first.base
  const roots = others.map(({ root }) => root)
  return {
    roots: () => roots,
    stat: (path) => of(path).stat(path),
    statUnlinked: (path) => of(path).statUnlinked(path),
    read: (path, range) => of(path).read(path, range),
    readUnlinked: (path, range) => of(path).readUnlinked(path, range),
    hashUnlinked: (path, signal) => of(path).hashUnlinked(path, signal),
    async list(path, signal) {
      const listing = await of(path).list(path, signal)
      if (path !== rootPath || !listing) return listing
      const entries = listing.entries.filter(({ name }) => !roots.includes(`/${name}` as VirtualPath))
      const added = roots.map((root) => ({ name: nameOf(root), node: { kind: 'directory', modified: 0 } as const }))
      return { ...listing, entries: [...entries, ...added].sort((a, b) => byCodeUnit(a.name, b.name)) }
    },
    targetInside(target) {
      for (const base of [...shown.values(), first.base]) {
        const found = base.targetInside(target)
        if (found !== undefined) return found
      }
      return undefined
    },
    hides: (path) => {
      const folder = folderWith(folders, path)
      return folder.base.hides?.(pathIn(folder, path)) ?? false
    },
    async ignores() {
      const [own, ...inner] = await Promise.all(folders.map(async ({ base }) => (await base.ignores?.()) ?? noGit))
      return joinIgnores(own ?? noGit, new Map(roots.map((root, at) => [root, inner[at] ?? noGit])))
    },
  }
}

/** No rule of one folder counts in another one. */
function joinIgnores(first: GitIgnores, others: ReadonlyMap<string, GitIgnores>): GitIgnores {
  const problems = [first, ...others.values()].flatMap(({ problem }) => problem ?? [])
  return {
    ...first,
    isTracked: (path, isDirectory) => others.has(path) || first.isTracked(path, isDirectory),
    inner: (folder) => others.get(folder) ?? first.inner(folder),
    problem: problems.length === 0 ? null : [...new Set(problems)].join(' '),
  }
}
