import { ancestorsOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { pathsInIndex } from '../../system/git/git-index.ts'
import type { GitFiles } from './git-files.ts'
import { indexIn } from './view-indexes.ts'

/**
 * Tells the files that are missing from a view because git was told not to have them there (`git sparse-checkout`): in git they
 * are as they were, so nobody deleted them. `own` is what programs and layers have of the view, since an index that is the
 * person's says of no file that the view lost it.
 */
export function outsideSparse(
  view: GitFiles,
  own: GitFiles,
  places: readonly string[],
): (path: VirtualPath) => boolean {
  const known = new Map<VirtualPath, ReadonlySet<string>>()
  const markedIn = (folder: VirtualPath) => {
    const marked = known.get(folder) ?? markedBy(indexIn(folder, own, places)?.read())
    known.set(folder, marked)
    return marked
  }
  return (path) => {
    if (view.at(path) !== undefined) return false
    return [...ancestorsOf(path), rootPath].some((folder) => {
      const marked = markedIn(folder)
      const name = path.slice(folder === rootPath ? 1 : folder.length + 1)
      // A sparse index has folders, which end with a slash.
      return marked.has(name) || (marked.size > 0 && foldersAbove(name).some((one) => marked.has(one)))
    })
  }
}

function foldersAbove(name: string): readonly string[] {
  return [...name.matchAll(/\//g)].map(({ index }) => name.slice(0, index + 1))
}

function markedBy(index: Uint8Array | undefined): ReadonlySet<string> {
  return new Set(index ? (pathsInIndex(Buffer.from(index), ({ isMarked }) => isMarked) ?? []) : [])
}
