import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { watch } from 'chokidar'
import type { Watcher } from '#core/ports/watcher.ts'
import { createEmitter } from '#shared/base/emitter.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * Watches single paths of the project folder, never the whole of it. What it says is a hint: a mode that changes, or a
 * folder that is made and filled at once, can pass unseen, so whoever relies on a file compares it before use.
 */
export function createDiskWatcher(rootFolder: string, onProblem: (error: unknown) => void): Watcher {
  const root = realpathSync.native(rootFolder)
  const changed = createEmitter<VirtualPath>(onProblem)
  const watched = new Set<VirtualPath>()
  const watcher = watch([], { ignoreInitial: true, followSymlinks: false, depth: 0, persistent: false })
  const locate = (path: VirtualPath): string => join(root, path)

  watcher.on('error', onProblem)
  watcher.on('all', (event, location) => {
    const path = virtualPathOf(root, location)
    if (path === undefined || !watched.has(path)) return
    changed.emit(path)
    if (event === 'unlink' || event === 'unlinkDir') watchAgain(location)
  })

  /** A path that is gone is forgotten by the library, but it may come back. */
  function watchAgain(location: string): void {
    watcher.unwatch(location)
    watcher.add(location)
  }

  return {
    watch(paths) {
      const fresh = paths.filter((path) => !watched.has(path))
      for (const path of fresh) watched.add(path)
      watcher.add(fresh.map(locate))
    },
    unwatch(paths) {
      for (const path of paths) watched.delete(path)
      watcher.unwatch(paths.map(locate))
    },
    onChange: (listener) => changed.subscribe(listener),
    [Symbol.dispose]: () => void watcher.close().catch(onProblem),
  }
}

function virtualPathOf(root: string, location: string): VirtualPath | undefined {
  const below = root === '/' ? location : location.slice(root.length)
  return location.startsWith(root) ? (below.replaceAll('\\', '/') as VirtualPath) : undefined
}
