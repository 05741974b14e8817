import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Watcher } from '#core/ports/watcher.ts'
import { createEmitter } from '#shared/base/emitter.ts'
import { ancestorsOf, isWithin, joinPath, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createFolderWatches } from './folder-watches.ts'

/**
 * Watches single paths of the project folder, never the whole of it, by the folders they lie in and those above: one
 * watch a folder notices every way a file is saved, and sees the file or its folder go, come back and be renamed.
 * Watching the files themselves does not: an editor that saves by renaming leaves the watch on the old file.
 */
export function createDiskWatcher(rootFolder: string, onProblem: (error: unknown) => void): Watcher {
  const root = realpathSync.native(rootFolder)
  const changed = createEmitter<VirtualPath>(onProblem)
  /** Every watched path, by the folder it lies in, and every folder above them. */
  const inside = new Map<VirtualPath, Set<VirtualPath>>()
  const watches = createFolderWatches((folder) => join(root, folder), onEvent, onProblem)

  function onEvent(folder: VirtualPath, name: string | null, cameOrWent: boolean): void {
    const path = name === null ? folder : joinPath(folder, name)
    if (inside.get(folder)?.has(path)) changed.emit(path)
    if (name === null || (cameOrWent && inside.has(path))) watchAgain(path)
  }

  /** A folder that came or went takes all that is watched in it along; a watch stays with the folder that was. */
  function watchAgain(folder: VirtualPath): void {
    const within = [...inside.keys()].filter((each) => isWithin(each, folder)).sort()
    watches.close(within)
    watches.open(within)
    for (const each of within) for (const path of inside.get(each) ?? []) changed.emit(path)
  }

  /** The folders to be watched for a path, from the root down. */
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
