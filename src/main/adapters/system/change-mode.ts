import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchmodSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lookAt } from './look-at.ts'

/** O_PATH of Linux: holds what is at a path, and needs no permission of it. Without it nobody could open a closed folder. */
const holdOnly = 0o10000000

/**
 * Changes the mode of a file or folder that was seen in the folder `root`, or of `root` itself. Does nothing and returns
 * false when something else is at the path now, or when a link leads there: a command may have put it there.
 */
export function changeMode(
  place: string | Buffer,
  root: string,
  seen: Pick<Stats, 'dev' | 'ino'>,
  mode: number,
): boolean {
  if (process.platform === 'linux') return changeHeld(place, root, seen, mode)
  const now = lookAt(place)
  if (!isSame(now, seen) || now?.isSymbolicLink()) return false
  if (process.platform === 'darwin') lchmodSync(place, mode)
  else chmodSync(place, mode)
  return true
}

/** Between the look and the change, the held entry cannot become another one. */
function changeHeld(place: string | Buffer, root: string, seen: Pick<Stats, 'dev' | 'ino'>, mode: number): boolean {
  let descriptor: number | undefined
  try {
    descriptor = openSync(place, holdOnly | constants.O_NOFOLLOW)
    const held = `/proc/self/fd/${descriptor}`
    const now = fstatSync(descriptor)
    if (!isSame(now, seen) || now.isSymbolicLink() || !isWithin(readlinkSync(held, 'buffer'), root)) return false
    chmodSync(held, mode)
    return true
  } catch {
    return false
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function isSame(now: Stats | undefined, { dev, ino }: Pick<Stats, 'dev' | 'ino'>): boolean {
  return now !== undefined && now.dev === dev && now.ino === ino
}

/** True for the root's real place and everything below it. */
function isWithin(real: Buffer, root: string): boolean {
  const own = join(realpathSync(dirname(root)), basename(root))
  return real.toString('latin1') === Buffer.from(own).toString('latin1') || real.indexOf(`${own}/`) === 0
}
