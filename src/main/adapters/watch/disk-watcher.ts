import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import type { FSWatcher } from 'chokidar'
import type { Watcher } from '#core/ports/watcher.ts'
import { createEmitter } from '#shared/base/emitter.ts'
import { ancestorsOf, isWithin, joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { identityOf, makeWatcher, oncePerCode, placesBelow, stampOf } from './make-watcher.ts'
import type { WatchMode } from './watch-mode.ts'

export interface DiskWatcherOptions {
  readonly rootFolder: string
  readonly mode: WatchMode
  /** Milliseconds between two looks of a watcher that polls; 1000 if absent. */
  readonly pollInterval?: number
  /** Called once for each kind of problem. The files concerned are still compared before they are used. */
  readonly onProblem: (error: unknown) => void
}

/** More paths than this are not watched, so that memory and system watches stay bounded. */
export const mostWatched = 20_000

class TooManyPaths extends Error {
  readonly code = 'TOO_MANY_PATHS'
  override readonly message =
    `Coppice watches ${mostWatched} files of a project. It compares the others before each use.`
}

/** Only a new chokidar says when its paths are watched. Each takes about 6 KB, so many small ones become one. */
const [smallBatch, mostSmallBatches] = [64, 64]

/** A name that no file has. chokidar waits for it in a folder, and so reports what comes and goes there. */
const nobody = `.coppice-${randomUUID()}`

/** chokidar takes 40 µs for a path before it returns. So many paths do not block the process. */
const mostAtOnce = 250

/** Paths that are watched from the same moment on. */
interface Batch {
  readonly watcher: FSWatcher
  readonly files: Set<VirtualPath>
  /** Folders that hold a folder on the way to a watched path. */
  readonly places: Set<VirtualPath>
  /** Called once, when the paths are watched or not watched any more. */
  readonly onOpen: () => void
}

/**
 * Watches single paths of the project, never all of it. chokidar follows a path through every way to save, delete and
 * make a file, but not through a move of the folders above it, because a system's watch moves with its folder. So the
 * watcher also listens where these folders are, and watches again what is in a folder that came or went.
 */
export function createDiskWatcher(options: DiskWatcherOptions): Watcher {
  const { rootFolder, mode, pollInterval = 1000, onProblem } = options
  const changed = createEmitter<VirtualPath>(onProblem)
  const { toDisk, toVirtual } = placesBelow(realpathSync.native(rootFolder))
  const batches = new Set<Batch>()
  const joining = new Set<Batch>()
  /** Batches that are not watched yet. The first one is being opened. */
  const queue: Batch[] = []
  const paths = new Set<VirtualPath>()
  /** The folders above the paths, with the identities that they had when they were last watched. */
  const folders = new Map<VirtualPath, string>()
  const shared = { mode, pollInterval, onProblem: oncePerCode(onProblem), onReported }

  function onReported(place: string, name: string | null): void {
    const watched = toVirtual(place)
    const path = name === null || paths.has(watched) ? watched : joinPath(watched, name)
    if (paths.has(path)) changed.emit(path)
    if (folders.has(path)) watchAgain(path)
  }

  /** Watches everything in a folder again after it came or went. */
  function watchAgain(folder: VirtualPath): void {
    const within = (path: VirtualPath): boolean => isWithin(path, folder)
    for (const each of [...folders.keys()].filter(within)) folders.set(each, identityOf(toDisk(each)))
    const lost = [...batches].map((batch) => leave(batch, within))
    const files = lost.flatMap((each) => each.files)
    for (const path of files) changed.emit(path)
    open(
      files,
      lost.flatMap((each) => each.places),
      files,
    )
  }

  /** Ends the watch of some of a batch's paths, and returns them. */
  function leave(batch: Batch, isLeft: (path: VirtualPath) => boolean) {
    const [files, places] = [[...batch.files].filter(isLeft), [...batch.places].filter(isLeft)]
    for (const path of files) batch.files.delete(path)
    for (const place of places) batch.places.delete(place)
    if (batch.files.size + batch.places.size === 0) close(batch)
    else batch.watcher.unwatch([...files, ...places.map((place) => joinPath(place, nobody))].map(toDisk))
    return { files, places }
  }

  function close(batch: Batch): void {
    batches.delete(batch)
    joining.delete(batch)
    void batch.watcher.close()
    finishOpening(batch)
  }

  /** @param announced paths to announce in any case once they are watched */
  function open(
    files: readonly VirtualPath[],
    places: readonly VirtualPath[],
    announced: readonly VirtualPath[] = [],
    onOpen = () => {},
  ): void {
    const isSlow = mode === 'polling' && files.length > smallBatch
    const before = new Map(isSlow ? [] : files.map((path) => [path, stampOf(toDisk(path))]))
    for (const path of announced) before.set(path, '')
    for (let from = 0; from < Math.max(files.length, places.length && 1); from += mostAtOnce) {
      const isLast = from + mostAtOnce >= files.length
      const some = files.slice(from, from + mostAtOnce)
      const batch = createBatch(some, from === 0 ? places : [], isLast ? onOpen : () => {})
      batch.watcher.on('ready', () => {
        findChanged(batch, before)
        finishOpening(batch)
        if (mode === 'polling') lookAgain(batch, before)
      })
      batches.add(batch)
      queue.push(batch)
      if (queue.length === 1) begin(batch)
    }
  }

  function createBatch(files: readonly VirtualPath[], places: readonly VirtualPath[], onOpen: () => void): Batch {
    // Without `ignored`, chokidar would watch everything in a folder that appears above a watched path.
    const ignored = (path: string): boolean => !paths.has(toVirtual(path)) && !path.endsWith(nobody)
    const watcher = makeWatcher({ ...shared, ignored })
    const batch = { watcher, files: new Set(files), places: new Set(places), onOpen }
    watcher.on('all', (_, path) => batch.files.has(toVirtual(path)) && changed.emit(toVirtual(path)))
    return batch
  }

  function begin({ watcher, files, places }: Batch): void {
    watcher.add([...files, ...[...places].map((place) => joinPath(place, nobody))].map(toDisk))
  }

  function finishOpening(batch: Batch): void {
    const index = queue.indexOf(batch)
    if (index === -1) return
    queue.splice(index, 1)
    batch.onOpen()
    const [next] = queue
    if (index === 0 && next) setImmediate(() => queue[0] === next && begin(next))
  }

  /** Finds what changed before the batch was ready. A path that was missing may have come and gone. */
  function findChanged(batch: Batch, before: ReadonlyMap<VirtualPath, string>): void {
    for (const path of batch.files) {
      const stamp = before.get(path)
      if (stamp === '' || (stamp !== undefined && stampOf(toDisk(path)) !== stamp)) changed.emit(path)
    }
    for (const [folder, identity] of [...folders]) {
      if (batch.places.has(parentOf(folder)) && identityOf(toDisk(folder)) !== identity) watchAgain(folder)
    }
  }

  /**
   * Node reads a polled file for the first time a little after chokidar is ready, and says nothing of one that is gone by then.
   * One look later it has read it.
   */
  function lookAgain(batch: Batch, before: ReadonlyMap<VirtualPath, string>): void {
    setTimeout(() => batches.has(batch) && findChanged(batch, before), pollInterval).unref()
  }

  /** Makes one batch of the small ones. They end when it is ready, so no change is lost. */
  function joinSmallBatches(): void {
    const small = [...batches].filter((batch) => batch.files.size < smallBatch && !joining.has(batch))
    if (small.length <= mostSmallBatches) return
    for (const batch of small) joining.add(batch)
    const places = small.flatMap((batch) => [...batch.places])
    open(
      small.flatMap((batch) => [...batch.files]),
      places,
      [],
      () => small.forEach(close),
    )
  }

  return {
    watch(added) {
      const unknown = [...new Set(added)].filter((path) => !paths.has(path))
      const files = unknown.slice(0, mostWatched - paths.size)
      if (files.length < unknown.length) shared.onProblem(new TooManyPaths())
      const above = mode === 'polling' ? [] : [...new Set(files.flatMap(ancestorsOf))]
      const newFolders = above.filter((folder) => !folders.has(folder))
      for (const path of files) paths.add(path)
      for (const folder of newFolders) folders.set(folder, identityOf(toDisk(folder)))
      const isListening = (place: VirtualPath): boolean => [...batches].some((batch) => batch.places.has(place))
      open(
        files,
        [...new Set(newFolders.map(parentOf))].filter((place) => !isListening(place)),
      )
      joinSmallBatches()
    },
    onChange: (listener) => changed.subscribe(listener),
    [Symbol.dispose]() {
      queue.length = 0
      batches.forEach(close)
    },
  }
}
