import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { FSWatcher } from 'chokidar'
import type { Watcher } from '#core/ports/watcher.ts'
import { createEmitter } from '#shared/base/emitter.ts'
import { isWithin, nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiskWatcherOptions } from './disk-watcher.ts'
import { makeWatcher, placesBelow, stampOf } from './make-watcher.ts'

/** Levels of entries below a watched folder. A skill is a folder in a folder, with its text in it. */
const levels = 2

/**
 * Watches a few known places, whether they exist or not. A folder stands for everything in it, two levels deep.
 * chokidar walks to the places from the root and examines each entry beside the way once. In return it follows every
 * move of the folders on the way by itself.
 */
export function createPlaceWatcher({ rootFolder, mode, pollInterval = 1000, onProblem }: DiskWatcherOptions): Watcher {
  const root = realpathSync.native(rootFolder)
  const changed = createEmitter<VirtualPath>(onProblem)
  const { toDisk, toVirtual } = placesBelow(root)
  const watchers: FSWatcher[] = []

  function open(places: readonly VirtualPath[]): void {
    const stamps = new Map(mode === 'events' ? places.map((place) => [place, treeStampOf(toDisk(place))]) : [])
    const report = (path: VirtualPath): void => {
      for (const place of places) if (isInside(path, place) || isWithin(place, path)) changed.emit(place)
    }
    const watcher = makeWatcher({
      mode,
      pollInterval,
      onProblem,
      ignored: (path) => !isNear(toVirtual(path), places),
      onReported: (watched, name) => report(toVirtual(name === null ? watched : join(watched, name))),
    })
    watcher.on('ready', () => {
      watcher.on('all', (_, path) => report(toVirtual(path)))
      for (const [place, stamp] of stamps) if (treeStampOf(toDisk(place)) !== stamp) changed.emit(place)
    })
    watcher.add(root)
    watchers.push(watcher)
  }

  return {
    watch: (places) => places.length > 0 && open(places),
    onChange: (listener) => changed.subscribe(listener),
    [Symbol.dispose]() {
      for (const watcher of watchers) void watcher.close()
    },
  }
}

/** True for the places, for the folders on the way to them, and for what they stand for. */
function isNear(path: VirtualPath, places: readonly VirtualPath[]): boolean {
  return places.some((place) => isWithin(place, path) || isInside(path, place))
}

function isInside(path: VirtualPath, place: VirtualPath): boolean {
  const below = path.slice(place.length).split('/').length - 1
  return isWithin(path, place) && below <= levels && nameOf(path) !== 'node_modules'
}

/** The stamps of a file, or of a folder and its entries. */
function treeStampOf(path: string, level = 0): string {
  return [
    stampOf(path),
    ...(level < levels ? entriesOf(path) : []).map((name) => treeStampOf(join(path, name), level + 1)),
  ].join()
}

function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
