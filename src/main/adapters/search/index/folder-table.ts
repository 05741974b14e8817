import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** A folder of the project, and what the index knows of the files directly in it. */
export interface IndexedFolder {
  readonly id: number
  readonly path: VirtualPath
  /** The visible files, sorted, each followed by a NUL. */
  names: string
  /** The segment that holds their signatures. 0 when there is none. */
  segment: number
  /** Places in `names` of files without a signature, which may hold anything. */
  unsigned: readonly number[]
  /** Sums up sizes, times and nodes of the files as they were read. Empty when that says nothing. */
  digest: string
  /** True when segment and names are known to describe the files as they are, up to the last event that was read. */
  clean: boolean
  /** True when `names` is known to be up to date in the same sense. */
  listed: boolean
  /** Changes with every event. */
  version: number
  /** The last walk that reached it. */
  walk: number
}

export interface FolderTable {
  get(path: string): IndexedFolder | undefined
  byId(id: number): IndexedFolder | undefined
  /** Adds a folder about which nothing is known. */
  add(path: VirtualPath): IndexedFolder
  /** Adds a folder as it was saved. */
  restore(saved: Pick<IndexedFolder, 'id' | 'path' | 'names' | 'segment' | 'unsigned' | 'digest'>): void
  /** Removes the folder and everything below it. Returns the removed paths. */
  removeBelow(path: string): readonly VirtualPath[]
  all(): Iterable<IndexedFolder>
}

export function createFolderTable(): FolderTable {
  const folders = new Map<string, IndexedFolder>()
  const ids: (IndexedFolder | undefined)[] = []
  const put = (folder: IndexedFolder) => {
    folders.set(folder.path, folder)
    ids[folder.id] = folder
    return folder
  }
  const unknown = { clean: false, listed: false, version: 0, walk: 0 }
  return {
    get: (path) => folders.get(path),
    byId: (id) => ids[id],
    add: (path) => put({ ...unknown, id: ids.length, path, names: '', segment: 0, unsigned: [], digest: '' }),
    restore: (saved) => void put({ ...unknown, ...saved }),
    removeBelow(path) {
      const start = path === '/' ? '/' : `${path}/`
      const removed = [...folders.values()].filter((folder) => folder.path === path || folder.path.startsWith(start))
      for (const folder of removed) {
        folders.delete(folder.path)
        ids[folder.id] = undefined
      }
      return removed.map((folder) => folder.path)
    },
    all: () => folders.values(),
  }
}

/** The names of a folder's files, in the order of their places. */
export function namesOf({ names }: Pick<IndexedFolder, 'names'>): readonly string[] {
  return names === '' ? [] : names.slice(0, -1).split('\0')
}

export function joinNames(names: readonly string[]): string {
  return names.map((name) => `${name}\0`).join('')
}

/**
 * A sum of paths that does not depend on their order, to compare two lists of many paths. Two 32-bit numbers.
 */
export function createPathSum() {
  let [count, sum, mixed] = [0, 0, 0]
  return {
    add(path: Uint8Array): void {
      let hash = 0x811c9dc5
      for (const byte of path) hash = Math.imul(hash ^ byte, 0x01000193)
      count += 1
      sum = (sum + (hash >>> 0)) % 2 ** 32
      mixed = (mixed ^ Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)) >>> 0
    },
    value: () => `${count} ${sum} ${mixed}`,
  }
}
