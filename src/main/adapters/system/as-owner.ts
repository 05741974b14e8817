import { chmodSync, lstatSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { lookAt } from './look-at.ts'
import { isInMade } from './made-folders.ts'

/** Refusals that the owner of a folder can lift. */
const closed = new Set(['EACCES', 'EPERM'])

/**
 * Does something with a path inside a made folder, even where a command or the project took permissions from its owner.
 * Root needs no such help, so everybody else gets the same result as root. The modes are put back.
 */
export function asOwner<Result>(place: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    if (!closed.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    const opened = openPath(place)
    if (opened.length === 0) throw error
    try {
      return act()
    } finally {
      for (const { path, stats } of opened.reverse()) putBack(path, stats)
    }
  }
}

interface Opened {
  readonly path: string
  readonly stats: Stats
}

/** Opens the path and every folder above it, from the top down. */
function openPath(place: string): Opened[] {
  const path: string[] = []
  for (let one = place; isInMade(one); one = dirname(one)) path.push(one)
  return path.reverse().flatMap((one) => {
    const stats = lookAt(one)
    const needed = stats?.isDirectory() ? 0o700 : stats?.isFile() ? 0o600 : 0
    if (!stats || (stats.mode & needed) === needed) return []
    chmodSync(one, (stats.mode & 0o7777) | needed)
    return [{ path: one, stats }]
  })
}

/** Nothing to put back when something else is there now, or nothing. */
function putBack(path: string, { ino, mode }: Stats): void {
  const now = lookAt(path)
  if (now?.ino === ino && !now.isSymbolicLink()) chmodSync(path, mode & 0o7777)
}

/** Undefined when nothing is there, or a file is above it. Follows no link. */
export function lookAsOwner(place: string): Stats | undefined {
  try {
    return asOwner(place, () => lstatSync(place, { throwIfNoEntry: false }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}
