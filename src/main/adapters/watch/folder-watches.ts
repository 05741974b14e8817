import { type FSWatcher, watch } from 'node:fs'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** One watch of the system for each open folder; what is below its entries is not seen. */
export interface FolderWatches {
  /** Opens those that are not open yet. A folder that is not there is left out, its parent will tell when it comes. */
  open(folders: readonly VirtualPath[]): void
  close(folders: readonly VirtualPath[]): void
}

/** Called for an entry of an open folder; without a name where the system does not tell which one it was. */
export type OnFolderEvent = (folder: VirtualPath, name: string | null, cameOrWent: boolean) => void

export function createFolderWatches(
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
