import { isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * A project may have several folders. The first one is `/`. Each other one is seen below it as a folder of its own, such as
 * `/lib`, although it lies elsewhere on disk. What each port does for one folder, the files here join into one answer.
 */
export interface InFolder {
  /** Where agents have the folder: `/`, or one name below it. */
  readonly root: VirtualPath
}

/** The folder that has a path. The first of `folders` is `/`. */
export function folderWith<Folder extends InFolder>(
  folders: readonly [Folder, ...Folder[]],
  path: VirtualPath,
): Folder {
  return folders.find(({ root }) => root !== rootPath && isWithin(path, root)) ?? folders[0]
}

/** The folders beside the first one. */
export function othersOf<Folder extends InFolder>([, ...others]: readonly [Folder, ...Folder[]]): readonly Folder[] {
  return others
}

/** A path of the project as a path of its folder. */
export function pathIn({ root }: InFolder, path: VirtualPath): VirtualPath {
  return root === rootPath ? path : ((path.slice(root.length) || rootPath) as VirtualPath)
}

/** A path of a folder as a path of the project. */
export function pathFrom({ root }: InFolder, path: VirtualPath): VirtualPath {
  if (root === rootPath) return path
  return path === rootPath ? root : (`${root}${path}` as VirtualPath)
}

/** What each folder has, in their order. */
export function eachFolder<Folder, Made>(
  [first, ...others]: readonly [Folder, ...Folder[]],
  make: (folder: Folder) => Made,
): readonly [Made, ...Made[]] {
  return [make(first), ...others.map(make)]
}

/** The items by the folder that has them, in the order of the folders. Folders without any are missing. */
export function byFolder<Folder extends InFolder, Item>(
  folders: readonly [Folder, ...Folder[]],
  items: Iterable<Item>,
  pathOf: (item: Item) => VirtualPath,
): ReadonlyMap<Folder, readonly Item[]> {
  const found = new Map<Folder, Item[]>()
  for (const item of items) {
    const folder = folderWith(folders, pathOf(item))
    const own = found.get(folder)
    if (own) own.push(item)
    else found.set(folder, [item])
  }
  return new Map(folders.flatMap((folder) => (found.has(folder) ? [[folder, found.get(folder) ?? []] as const] : [])))
}
