import { type FSWatcher, watch } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The least that can notice a change: one watch of the system for each folder with a watched file. It follows no folder
 * that moves, and cannot poll.
 */
export function openBareWatches(root: string, paths: readonly string[], onChange: (path: string) => void): Disposable {
  const known = new Set(paths)
  const open: FSWatcher[] = []
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    const watcher = watch(join(root, folder), { persistent: false })
    watcher.on('change', (_, name) => {
      const path = join(folder, String(name))
      if (known.has(path)) onChange(path)
    })
    open.push(watcher)
  }
  return {
    [Symbol.dispose]() {
      for (const watcher of open) watcher.close()
    },
  }
}
