import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

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
