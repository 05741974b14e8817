import { type FSWatcher, realpathSync, watch } from 'node:fs'
import { join } from 'node:path'
import type { Watcher } from '#core/ports/watcher.ts'
import { createEmitter } from '#shared/base/emitter.ts'
import { ancestorsOf, isWithin, joinPath, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * Watches single paths of the project, never all of it, through their folders and the folders above. One watch per
 * folder notices every way to save a file, and sees the file or its folder go, come back or be renamed.
 *
 * Watching the file itself does not: when an editor saves by renaming, the watch stays on the old file.
 */
export function createDiskWatcher(rootFolder: string, onProblem: (error: unknown) => void): Watcher {
  const root = realpathSync.native(rootFolder)
  const changed = createEmitter<VirtualPath>(onProblem)
  /** The watched paths in each folder. Folders above them have an entry too. */
  const inside = new Map<VirtualPath, Set<VirtualPath>>()
  const watches = createFolderWatches((folder) => join(root, folder), onEvent, onProblem)

  function onEvent(folder: VirtualPath, name: string | null, cameOrWent: boolean): void {
    const path = name === null ? folder : joinPath(folder, name)
    if (inside.get(folder)?.has(path)) changed.emit(path)
    if (name === null || (cameOrWent && inside.has(path))) watchAgain(path)
  }

  /** Watches everything in a folder again after it came or went, because a watch stays with the old folder. */
  function watchAgain(folder: VirtualPath): void {
    const within = [...inside.keys()].filter((each) => isWithin(each, folder)).sort()
    watches.close(within)
    watches.open(within)
    for (const each of within) for (const path of inside.get(each) ?? []) changed.emit(path)
  }

  /** The folders to watch for a path, from the root down. */
  function foldersFor(path: VirtualPath): readonly VirtualPath[] {
    const folders = [rootPath, ...ancestorsOf(path).toReversed()]
    for (const folder of folders) if (!inside.has(folder)) inside.set(folder, new Set())
    inside.get(parentOf(path))?.add(path)
    return folders
  }

  return {
    watch: (paths) => watches.open([...new Set(paths.flatMap(foldersFor))]),
    onChange: (listener) => changed.subscribe(listener),
    [Symbol.dispose]: () => watches.close([...inside.keys()]),
  }
}

/** One system watch per open folder. It sees the direct entries only. */
export interface FolderWatches {
  /** Opens the folders that are not open yet. Leaves out a missing folder, since its parent reports when it appears. */
  open(folders: readonly VirtualPath[]): void
  close(folders: readonly VirtualPath[]): void
}

/** Called for an entry of an open folder. `name` is null when the system does not say which entry it was. */
export type OnFolderEvent = (folder: VirtualPath, name: string | null, cameOrWent: boolean) => void

function createFolderWatches(
  locate: (folder: VirtualPath) => string,
  onEvent: OnFolderEvent,
  onProblem: (error: unknown) => void,
): FolderWatches {
  const watchers = new Map<VirtualPath, FSWatcher>()

  function openOne(folder: VirtualPath): void {
    try {
      const watcher = watch(locate(folder), { persistent: false })
      watcher.on('change', (event, name) => onEvent(folder, name === null ? null : String(name), event === 'rename'))
      // Some systems report the end of a watched folder as an error of its watch.
      watcher.on('error', () => close(folder))
      watchers.set(folder, watcher)
    } catch (error) {
      if (!isAbsent(error)) onProblem(error)
    }
  }

  function close(folder: VirtualPath): void {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }

  return {
    open(folders) {
      for (const folder of folders) if (!watchers.has(folder)) openOne(folder)
    },
    close: (folders) => folders.forEach(close),
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
