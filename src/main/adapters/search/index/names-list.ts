import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { IndexedFolder } from './folder-table.ts'

export type NamedFolder = Pick<IndexedFolder, 'path' | 'names'>

/**
 * Folders and the names of their files as one text, which can be searched before there is an object for each folder: a
 * NUL, then the path of each folder and its names, each followed by a NUL. Only paths begin with a slash.
 */
export function joinFolders(folders: readonly NamedFolder[]): string {
  return `\0${folders.map(({ path, names }) => `${path}\0${names}`).join('')}`
}

/** The folders of a list, in its order. */
export function foldersOf(list: string): Iterable<NamedFolder> {
  return foldersAt(list, (from) => from)
}

/** The folders in which `findNames` can find something for this text, and perhaps others. */
export function foldersWith(list: string, text: string): Iterable<NamedFolder> {
  const wanted = text.toLowerCase()
  // What is behind the last slash lies in one name of the list, whatever is before it.
  const tail = wanted.slice(wanted.lastIndexOf('/') + 1)
  const lower = list.toLowerCase()
  // In lower case, some letters have another length. Then places say nothing.
  return lower.length === list.length ? foldersAt(list, (from) => lower.indexOf(tail, from)) : foldersOf(list)
}

/** The folders that hold the places which `next` finds from a place on. -1 means that there are no more. */
function* foldersAt(list: string, next: (from: number) => number): Iterable<NamedFolder> {
  for (let end = 0; end < list.length - 1; ) {
    const place = next(end + 1)
    if (place < 0) return
    const start = list.lastIndexOf('\0/', place) + 1
    const following = list.indexOf('\0/', start)
    end = following < 0 ? list.length - 1 : following
    const pathEnd = list.indexOf('\0', start)
    yield { path: list.slice(start, pathEnd) as VirtualPath, names: list.slice(pathEnd + 1, end + 1) }
  }
}
