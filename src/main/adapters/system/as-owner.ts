import { lstatSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { changeMode } from './change-mode.ts'
import { lookAt } from './look-at.ts'
import { madeFolderOf } from './made-folders.ts'

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
      for (const { putBack } of opened.reverse()) putBack()
    }
  }
}

interface Opened {
  /** Does nothing when something else is there now, or nothing. */
  readonly putBack: () => void
}

/** Opens the path and every folder above it, from the top down. Stops where something took the place of an entry. */
function openPath(place: string): Opened[] {
  const root = madeFolderOf(place)
  if (root === undefined) return []
  const path: string[] = []
  for (let one = place; one !== root; one = dirname(one)) path.push(one)
  const opened: Opened[] = []
  for (const one of path.reverse()) {
    const stats = lookAt(one)
    const needed = stats?.isDirectory() ? 0o700 : stats?.isFile() ? 0o600 : 0
    if (!stats || (stats.mode & needed) === needed) continue
    const mode = stats.mode & 0o7777
    if (!changeMode(one, root, stats, mode | needed)) break
    opened.push({ putBack: () => void (lookAt(one) && changeMode(one, root, stats, mode)) })
  }
  return opened
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
