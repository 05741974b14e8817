import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { isWithin, nameOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { folderWith, type InFolder, othersOf, pathFrom, pathIn } from '../paths/project-folders.ts'
import type { FileScan, GrepOutcome, Search, SearchScope } from '../ports/search.ts'
import { contentGlobBelow, globsBelow } from './globs-below.ts'
import { innerScope } from './placed-folder.ts'

export interface FolderSearch extends InFolder {
  readonly search: Search & FileScan
}

/** The searches of several folders as one. A search from `/` looks into all of them. */
export function joinSearches(folders: readonly [FolderSearch, ...FolderSearch[]]): Search & FileScan {
  const [first] = folders
  if (folders.length === 1) return first.search
  /** The folders that a scope reaches, each with its own part of the scope. */
  const partsOf = (scope: SearchScope) => {
    const own = folderWith(folders, scope.path)
    const reached = scope.path === rootPath ? folders : [own]
    return reached.map((folder) => ({ folder, scope: scopeIn(folder, scope, folders) }))
  }
  /** `above` is the name of a folder that is searched from above, where globs begin with that name. Null for others. */
  const everywhere = async <Found>(
    scope: SearchScope,
    ask: (search: FolderSearch['search'], own: SearchScope, above: string | null) => Promise<Found>,
  ) =>
    Promise.all(
      partsOf(scope).map(async (part) => {
        const isSeenFromAbove = part.folder.root !== rootPath && scope.path === rootPath
        const above = isSeenFromAbove ? nameOf(part.folder.root) : null
        return { ...part, found: await ask(part.folder.search, part.scope, above) }
      }),
    )
  return {
    async grep(query, scope, signal) {
      const parts = await everywhere(scope, async (search, own, above) => {
        const glob = query.glob === undefined || above === null ? query.glob : contentGlobBelow(query.glob, above)
        return glob === null ? nothing : search.grep({ ...query, ...(glob !== undefined && { glob }) }, own, signal)
      })
      return parts
        .map(
          ({ folder, found }): GrepOutcome => ({
            ...found,
            files: found.files.map((file) => ({ ...file, path: pathFrom(folder, file.path) })),
          }),
        )
        .reduce(joinOutcomes)
    },
    async files(globs, scope, signal) {
      const parts = await everywhere(scope, async (search, own, above) => {
        const inside = above === null ? globs : globs.flatMap((glob) => globsBelow(glob, above))
        return globs.length > 0 && inside.length === 0 ? [] : search.files(inside, own, signal)
      })
      return parts.flatMap(({ folder, found }) => found.map((path) => pathFrom(folder, path))).sort(byCodeUnit)
    },
    async find(text, limit, scope, signal) {
      const parts = await everywhere(scope, (search, own) => search.find(text, limit, own, signal))
      const ranked = parts.map(({ folder, found }) => found.map((path) => pathFrom(folder, path)))
      return takeInTurn(ranked).slice(0, limit)
    },
    async scan(query) {
      const parts = await Promise.all(
        folders.map(async (folder) => ({ folder, found: await folder.search.scan(query) })),
      )
      const all = (of: 'all' | 'found' | 'unsearched') =>
        parts
          .flatMap(({ folder, found }) =>
            found[of].map((path) => pathFrom(folder, path)).filter((path) => folderWith(folders, path) === folder),
          )
          .sort(byCodeUnit)
      return { all: all('all'), found: all('found'), unsearched: all('unsearched') }
    },
  }
}

const nothing: GrepOutcome = { files: [], binarySkipped: 0, unreadable: 0, truncated: false }

function scopeIn(
  folder: FolderSearch,
  scope: SearchScope,
  folders: readonly [FolderSearch, ...FolderSearch[]],
): SearchScope {
  const isOwn = (path: VirtualPath) => folderWith(folders, path) === folder
  const own: SearchScope = {
    ...scope,
    path: isWithin(scope.path, folder.root) ? scope.path : folder.root,
    hidden: scope.hidden.filter(isOwn),
    ...(scope.made && { made: scope.made.filter(isOwn) }),
    overlay: scope.overlay.filter(({ path }) => isOwn(path)),
  }
  const inner = innerScope(own, (path) => pathIn(folder, path))
  // The first folder may have got one of the same name, which nobody sees.
  const covered = folder === folders[0] ? othersOf(folders).map(({ root }) => root) : []
  return { ...inner, hidden: [...inner.hidden, ...covered] }
}

function joinOutcomes(one: GrepOutcome, other: GrepOutcome): GrepOutcome {
  return {
    files: [...one.files, ...other.files].sort((a, b) => byCodeUnit(a.path, b.path)),
    binarySkipped: one.binarySkipped + other.binarySkipped,
    unreadable: one.unreadable + other.unreadable,
    truncated: one.truncated || other.truncated,
    ...((one.rulesCut || other.rulesCut) && { rulesCut: true }),
  }
}

/** The best of each list, then the second best. */
function takeInTurn<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat()
}
