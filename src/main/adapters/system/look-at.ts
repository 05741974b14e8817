import { accessSync, constants, lstatSync, readdirSync, type Stats } from 'node:fs'

/** Undefined when nothing is there, and when this user may not look. Follows no link. */
export function lookAt(place: string | Buffer): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Empty for a folder that is missing or that this user may not list. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** False for a folder whose files this user may not name or reach: none seen there is not that there is none. */
export function mayLookInto(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
