import { type Dirent, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { isWithin, joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../system/as-owner.ts'
import { lookAt } from '../system/look-at.ts'
import type { MountRules } from './mount-rules.ts'

/**
 * What a mount keeps for its next command: ignored files and `.git`, each from its topmost path down.
 *
 * A unit is given up whole before it could mix with another version of itself. That is when the branch changed
 * something at, above or below it, when no rule ignores it any more, or when the project's files and folders under it
 * changed on disk.
 */
export interface KeptUnits {
  /** Returns the units that can no longer be shown, and forgets them. */
  takeStale(changed: readonly VirtualPath[], rules: MountRules): readonly VirtualPath[]
  replace(units: readonly VirtualPath[], opaque: ReadonlySet<VirtualPath>): void
}

/** Files that show whether the repository is another one. Its index and its objects may differ without harm. */
const repositoryParts = ['HEAD', 'packed-refs', 'MERGE_HEAD', 'rebase-merge', 'rebase-apply']

export function createKeptUnits(upper: string, rootFolder: string | null): KeptUnits {
  let kept = new Map<VirtualPath, string>()
  const stampOf = (unit: VirtualPath, opaque: ReadonlySet<VirtualPath>) =>
    rootFolder === null ? '' : unitStamp({ upper, rootFolder, opaque }, unit)
  let opaqueFolders: ReadonlySet<VirtualPath> = new Set()
  return {
    takeStale(changed, rules) {
      const touched = (unit: VirtualPath) => changed.some((path) => isWithin(path, unit) || isWithin(unit, path))
      const isFolder = (unit: VirtualPath) => {
        const own = lookAsOwner(join(upper, unit))
        if (own?.isDirectory() || own?.isFile() || rootFolder === null) return own?.isDirectory() ?? false
        return lookAt(join(rootFolder, unit))?.isDirectory() ?? false
      }
      const stale = [...kept.keys()].filter(
        (unit) =>
          touched(unit) || !rules.isLeftOut(unit, isFolder(unit)) || stampOf(unit, opaqueFolders) !== kept.get(unit),
      )
      for (const unit of stale) kept.delete(unit)
      return stale
    },
    replace(units, opaque) {
      opaqueFolders = opaque
      kept = new Map(units.map((unit) => [unit, stampOf(unit, opaque)]))
    },
  }
}

interface Layers {
  readonly upper: string
  readonly rootFolder: string
  readonly opaque: ReadonlySet<VirtualPath>
}

function unitStamp(layers: Layers, unit: VirtualPath): string {
  const above = lookAt(join(layers.rootFolder, parentOf(unit)))?.isDirectory()
  const stamps = /\/\.git$/i.test(unit) ? repositoryStamps(join(layers.rootFolder, unit)) : hiddenStamps(layers, unit)
  return [above, ...stamps].join('\n')
}

/** Stamps of the project's own version of everything that the unit hides, and of the folders that it adds to. */
function* hiddenStamps(layers: Layers, path: VirtualPath): Generator<string> {
  const below = lookAt(join(layers.rootFolder, path))
  if (!below) return yield `${path} -`
  yield `${path} ${stampOf(below)}`
  const own = lookAsOwner(join(layers.upper, path))
  if (!own?.isDirectory() || !below.isDirectory() || layers.opaque.has(path)) return
  for (const name of asOwner(join(layers.upper, path), () => readdirSync(join(layers.upper, path))))
    yield* hiddenStamps(layers, joinPath(path, name))
}

function* repositoryStamps(folder: string): Generator<string> {
  for (const part of repositoryParts) {
    const stats = lookAt(join(folder, part))
    yield `${part} ${stats ? stampOf(stats) : '-'}`
  }
  yield* treeStamps(join(folder, 'refs'))
}

function* treeStamps(folder: string): Generator<string> {
  const entries = entriesOf(folder)
  for (const entry of entries) {
    const location = join(folder, entry.name)
    const stats = lookAt(location)
    if (stats) yield `${location} ${stampOf(stats)}`
    if (entry.isDirectory()) yield* treeStamps(location)
  }
}

/** Empty also for a folder that is closed to this user. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return lookAt(folder)?.isDirectory() ? readdirSync(folder, { withFileTypes: true }) : []
  } catch {
    return []
  }
}

function stampOf(stats: Stats): string {
  return `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.mode}`
}
