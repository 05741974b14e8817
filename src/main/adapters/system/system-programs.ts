import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, relative } from 'node:path'

/** Where systems keep programs that only their administrator installs. */
const systemFolders = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/run/current-system/sw/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
]

/** Goes before PATH in every script that builds a view, so that a program of the project never takes part in it. */
export const systemPath = systemFolders.join(':')

const found = new Map<string, string>()

/**
 * The absolute path of a program of the system. PATH may name a folder of the project, where a command can leave a
 * program of the same name. Returns the bare name when no system folder has it.
 */
export function systemProgram(name: string): string {
  const known = found.get(name)
  if (known !== undefined) return known
  const place = systemFolders.map((folder) => join(folder, name)).find(isProgram)
  if (place !== undefined) found.set(name, place)
  return place ?? name
}

/** True for a file that this user may start. */
export function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * A program of the person: an absolute path, or the first one that `PATH` has. Undefined for none, and for one inside the folder
 * `outside`, where agents may have written it.
 */
export function findProgram(
  program: string,
  { outside, path }: { readonly outside: string; readonly path: string },
): string | undefined {
  const name = process.platform === 'win32' && !program.endsWith('.exe') ? `${program}.exe` : program
  const folders = path.split(delimiter).filter(isAbsolute)
  const places = isAbsolute(program) ? [program] : folders.map((folder) => join(folder, name))
  return places.find((place) => isProgram(place) && !isInside(outside, place))
}

function isInside(folder: string, place: string): boolean {
  const path = relative(realpathSync.native(folder), realpathSync.native(place))
  return !(path.startsWith('..') || isAbsolute(path))
}
