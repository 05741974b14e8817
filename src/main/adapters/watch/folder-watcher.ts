import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { makeWatcher, placesBelow } from './make-watcher.ts'
import type { WatchMode } from './watch-mode.ts'

export interface FolderWatcherOptions {
  readonly folder: string
  readonly mode: WatchMode
  /** Milliseconds between two looks of a watcher that polls; 1000 if absent. */
  readonly pollInterval?: number
  /** Folders that are not looked into. */
  readonly isLeftOut: (path: VirtualPath) => boolean
  /** Something may have changed at the path, or below it. */
  readonly onChange: (path: VirtualPath) => void
  readonly onProblem: (error: unknown) => void
}

/**
 * Watches everything in a folder. Resolves when a change from now on is announced. An announcement is a hint, as those of
 * `Watcher` are.
 */
export async function watchFolder(options: FolderWatcherOptions): Promise<AsyncDisposable> {
  const { mode, pollInterval = 1000, isLeftOut, onChange, onProblem } = options
  const folder = realpathSync.native(options.folder)
  const { toVirtual } = placesBelow(folder)
  const isInside = (path: VirtualPath) => path !== rootPath && !path.startsWith('/..')
  const report = (place: string) => {
    const path = toVirtual(place)
    if (isInside(path)) onChange(path)
  }
  const watcher = makeWatcher({
    mode,
    pollInterval,
    onProblem,
    // The watch of a folder reports what happens to its files. Each file that chokidar knows takes memory of its own.
    ignored: (place, stats) =>
      (mode === 'events' && stats?.isDirectory() === false) ||
      (isInside(toVirtual(place)) && isLeftOut(toVirtual(place))),
    onReported: (watched, name) => report(name === null ? watched : join(watched, name)),
  })
  watcher.on('all', (_, place) => report(place))
  const ready = once(watcher, 'ready')
  watcher.add(folder)
  await ready
  return { [Symbol.asyncDispose]: () => watcher.close() }
}
