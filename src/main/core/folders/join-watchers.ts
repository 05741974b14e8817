import { byFolder, folderWith, type InFolder, pathFrom, pathIn } from '../paths/project-folders.ts'
import type { Watcher } from '../ports/watcher.ts'

export interface FolderWatcher extends InFolder {
  readonly watcher: Watcher
}

/** Watches paths of several folders. */
export function joinWatchers(folders: readonly [FolderWatcher, ...FolderWatcher[]]): Watcher {
  if (folders.length === 1) return folders[0].watcher
  return {
    watch(paths) {
      for (const [folder, own] of byFolder(folders, paths, (path) => path))
        folder.watcher.watch(own.map((path) => pathIn(folder, path)))
    },
    onChange(listener) {
      const all = new DisposableStack()
      for (const folder of folders)
        all.use(
          folder.watcher.onChange((inner) => {
            const path = pathFrom(folder, inner)
            if (folderWith(folders, path) === folder) listener(path)
          }),
        )
      return all
    },
    [Symbol.dispose]() {
      for (const { watcher } of folders) watcher[Symbol.dispose]()
    },
  }
}
