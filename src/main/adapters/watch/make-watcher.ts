import { lstatSync, type Stats } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { FSWatcher } from 'chokidar'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { WatchMode } from './watch-mode.ts'

export interface MakeOptions {
  readonly mode: WatchMode
  /** Milliseconds between two looks at a path, where the system reports nothing. */
  readonly pollInterval: number
  /**
   * Takes a path on disk, and what is there once chokidar has looked. chokidar leaves out what is ignored, with everything in
   * it.
   */
  readonly ignored: (path: string, stats?: Stats) => boolean
  /** Called with the first error of each kind. A limit of the system fails for thousands of paths at once. */
  readonly onProblem: (error: unknown) => void
  /**
   * A change as the system reports it: a watched path, and the entry of that folder if the system names one. chokidar
   * drops a second write that leaves size and time as they are; this event shows it.
   */
  readonly onReported: (watched: string, name: string | null) => void
}

/** Makes a chokidar without paths, which is not ready before it has some. It never keeps the process alive. */
export function makeWatcher({ mode, pollInterval, ignored, onProblem, onReported }: MakeOptions): FSWatcher {
  const backend = mode === 'polling' ? 'polling' : 'native'
  const intervals = { pollingInterval: pollInterval, pollingBinaryInterval: pollInterval }
  const watcher = new FSWatcher({
    backend,
    ...intervals,
    ignored,
    ignoreInitial: true,
    atomic: false,
    persistent: false,
  })
  watcher.on('error', oncePerCode(onProblem))
  watcher.on('raw', (_, name, details) => {
    const watched = mode === 'events' ? watchedIn(details) : null
    if (watched !== null) onReported(watched, name)
  })
  return watcher
}

/** Translates between paths of the project and paths on disk. */
export function placesBelow(root: string) {
  return {
    toDisk: (path: VirtualPath): string => join(root, path),
    toVirtual: (path: string): VirtualPath => `/${relative(root, path).split(sep).join('/')}` as VirtualPath,
  }
}

/** Stays the same while one folder is at the path. Empty if there is none. */
export function identityOf(path: string): string {
  return describe(path, ({ ino, birthtimeMs }) => `${ino} ${birthtimeMs}`)
}

/** Milliseconds. The clock of a file system goes in steps, and a second change in one step leaves no trace. */
const clockStep = 100

/**
 * Changes with the file at the path. Empty if there is none. Never the same for a file that changed too recently to tell
 * a second change.
 */
export function stampOf(path: string): string {
  return describe(path, ({ ino, size, mtimeMs, ctimeMs }) => {
    const isRecent = Date.now() - Math.max(mtimeMs, ctimeMs) < clockStep
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}${isRecent ? ` ${performance.now()}` : ''}`
  })
}

function describe(path: string, say: (stats: Stats) => string): string {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats ? say(stats) : ''
  } catch (error) {
    return codeOf(error)
  }
}

function watchedIn(details: unknown): string | null {
  const isKnown = typeof details === 'object' && details !== null && 'watchedPath' in details
  return isKnown && typeof details.watchedPath === 'string' ? details.watchedPath : null
}

export function oncePerCode(report: (error: unknown) => void): (error: unknown) => void {
  const reported = new Set<string>()
  return (error) => {
    if (!reported.has(codeOf(error))) report(error)
    reported.add(codeOf(error))
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
