import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { RouteSetting } from '#adapters/settings/settings-schema.ts'
import { usualPrefixes } from '#core/tools/namespace/prefixes.ts'
import { isGitName } from '#shared/model/git-names.ts'
import { parseVirtualPath } from '#shared/model/virtual-path.ts'

/** A route of the settings that can be used. */
export interface CheckedRoute {
  /** With a slash at both ends. */
  readonly prefix: string
  /** The path of a folder is absolute, with links resolved. */
  readonly setting: RouteSetting
  /** True for a real folder that commands may read as well. Absent for all others. */
  readonly isForPrograms?: boolean
}

export interface CheckedRoutes {
  readonly used: readonly CheckedRoute[]
  /** A sentence for each route that is not used. */
  readonly problems: readonly string[]
}

export interface RoutePlaces {
  readonly dataFolder: string
  /** What `~` stands for. */
  readonly home: string
}

/** Checks the routes of a person's settings. One that is wrong is named and left out; the others are used. */
export function checkRoutes(settings: Readonly<Record<string, RouteSetting>>, places: RoutePlaces): CheckedRoutes {
  const used = new Map<string, CheckedRoute>()
  const problems: string[] = []
  for (const [given, setting] of Object.entries(settings)) {
    const prefix = given.endsWith('/') ? given : `${given}/`
    const checked = prefixProblem(prefix) ?? (used.has(prefix) ? 'is there twice' : checkSetting(setting, places))
    if (typeof checked === 'string') problems.push(`${JSON.stringify(given)} ${checked}. It is not used.`)
    else used.set(prefix, { prefix, setting: checked })
  }
  return { used: [...used.values()], problems }
}

/** Completes a sentence that begins with the prefix. Undefined when it can be used. */
function prefixProblem(prefix: string): string | undefined {
  if (!prefix.startsWith('/')) return 'must start with "/", the root of the project'
  if (prefix === '/') return 'is the project itself; name a place below it'
  const parsed = parseVirtualPath(prefix)
  if (!parsed.ok) return `is no path: ${parsed.error.message.replace(/\.$/, '')}`
  if (`${parsed.value}/` !== prefix) return `must be written without "//", "." and "..", as ${parsed.value}/`
  if (/[\p{C}\p{Zl}\p{Zp}*?[\]{}\\]/u.test(prefix)) return 'has characters that a place cannot have'
  if (prefix.split('/').some(isGitName)) return "is inside git's own folder"
  const first = `/${prefix.split('/')[1]?.toLowerCase()}/`
  return usualPrefixes.some((name) => name === first) ? `is in ${first}, a place of Coppice` : undefined
}

/** Completes a sentence about a folder that a person named. Null when it can be used. */
export function folderProblem(path: string, places: RoutePlaces): string | null {
  const checked = checkSetting({ kind: 'folder', path, write: 'never' }, places)
  return typeof checked === 'string' ? checked : null
}

/** The setting with its real folder, or what is wrong with it. */
function checkSetting(setting: RouteSetting, { dataFolder, home }: RoutePlaces): RouteSetting | string {
  if (setting.kind !== 'folder') return setting
  const named = /^~(?=$|[\\/])/.test(setting.path) ? join(home, setting.path.slice(1)) : setting.path
  const shown = JSON.stringify(setting.path)
  if (!isAbsolute(named)) return `needs an absolute path or one that starts with "~/", not ${shown}`
  const real = realFolder(named)
  if (real === null) return `names ${shown}, which is no folder that can be read`
  if (dirname(real) === real) {
    return `names ${shown}, which is the whole disk; name a folder in it`
  }
  if (real.split(sep).some(isGitName)) return `names ${shown}, which is inside git's own folder`
  if (isInside(real, realFolder(dataFolder) ?? dataFolder))
    return `names ${shown}, which is in Coppice's own data folder`
  return { ...setting, path: real }
}

/** Null when nothing is there, or no folder that can be read. */
function realFolder(path: string): string | null {
  try {
    const real = realpathSync.native(path)
    accessSync(real, constants.R_OK | constants.X_OK)
    return statSync(real).isDirectory() ? real : null
  } catch {
    return null
  }
}

/** True for the folder itself too. */
export function isInside(path: string, folder: string): boolean {
  const inner = relative(folder, path)
  return inner === '' || (inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner))
}
