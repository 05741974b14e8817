import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { ancestorsOf, isWithin, joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { lookAt } from '../../system/look-at.ts'
import type { MountRules } from '../mount-rules.ts'
import type { OverlayPaths } from '../overlay-paths.ts'

/** What a unit of a layer is compared with, to find out whether it still fits. */
export interface UnitSurroundings {
  readonly rootFolder: string | null
  /** What the branch changed. */
  readonly overlay: OverlayPaths
}

/** The files of a layer, or of the folder that becomes one. */
export interface LayerFiles {
  readonly files: string
  readonly opaque: ReadonlySet<VirtualPath>
}

/**
 * Names all that a unit hides or lies in: the project's own files there, and what the branch changed at it, above it or
 * below it. Folders that the unit adds to count by being there alone, so what a person does beside its files is shown
 * together with them.
 */
export function stampUnit(layer: LayerFiles, unit: VirtualPath, around: UnitSurroundings): string {
  return stampWith(layer, unit, around, () => 'folder')
}

/** True when what the unit hides is what its stamp says. Older stamps, and those of copies, name the state of folders too. */
export function isStampOf(stamp: string, layer: LayerFiles, unit: VirtualPath, around: UnitSurroundings): boolean {
  return stamp === stampUnit(layer, unit, around) || stamp === stampWhole(layer, unit, around)
}

/** Like `stampUnit`, for a unit that hides its whole folder: one in a copy, which replaces the one on disk. */
export function stampWhole(layer: LayerFiles, unit: VirtualPath, around: UnitSurroundings): string {
  return stampWith(layer, unit, around, stampOf)
}

function stampWith(
  layer: LayerFiles,
  unit: VirtualPath,
  { rootFolder, overlay }: UnitSurroundings,
  ofFolder: (stats: Stats) => string,
): string {
  const stamp = createHash('sha256')
  for (const line of overlayAround(overlay, unit)) stamp.update(`${line}\n`)
  if (rootFolder !== null) for (const line of diskAround(layer, unit, rootFolder, ofFolder)) stamp.update(`${line}\n`)
  return stamp.digest('hex').slice(0, 32)
}

/** False for a unit that no rule ignores any more. */
export function isStillUnit(files: string, unit: VirtualPath, rules: MountRules, rootFolder: string | null): boolean {
  const own = lookAsOwner(join(files, unit))
  if (own?.isDirectory() || own?.isFile()) return rules.isLeftOut(unit, own.isDirectory())
  const below = rootFolder === null ? undefined : lookAt(join(rootFolder, unit))
  // What was removed is gone from the layers below too, so only its rule says whether it was a folder.
  return rules.isLeftOut(unit, below?.isDirectory() ?? false) || (!below && rules.isLeftOut(unit, true))
}

function* overlayAround(overlay: OverlayPaths, unit: VirtualPath): Generator<string> {
  for (const path of ancestorsOf(unit)) if (overlay.has(path)) yield `${path} ${overlay.get(path)}`
  for (const [path, change] of overlay)
    if (isWithin(path, unit) && !isHarmless(path, change, unit)) yield `${path} ${change}`
}

/** Files that show whether the repository is another one. Its index and its objects may differ without harm. */
const repositoryParts = ['HEAD', 'packed-refs', 'MERGE_HEAD', 'rebase-merge', 'rebase-apply']

/** True for a file of a repository, shown otherwise than it is on disk, that says nothing about which one it is. */
function isHarmless(path: VirtualPath, change: string, unit: VirtualPath): boolean {
  if (!isRepository(unit) || path === unit || !change.startsWith('file ')) return false
  const [part = ''] = path.slice(unit.length + 1).split('/')
  return part !== 'refs' && !repositoryParts.includes(part)
}

function isRepository(unit: VirtualPath): boolean {
  return /\/\.git$/i.test(unit)
}

function* diskAround(
  layer: LayerFiles,
  unit: VirtualPath,
  rootFolder: string,
  ofFolder: (stats: Stats) => string,
): Generator<string> {
  yield String(lookAt(join(rootFolder, parentOf(unit)))?.isDirectory())
  if (isRepository(unit)) yield* repositoryStamps(join(rootFolder, unit))
  else yield* hiddenStamps(layer, rootFolder, unit, ofFolder)
}

/** Stamps of the project's own version of everything that the unit hides, and of the folders that it adds to. */
function* hiddenStamps(
  layer: LayerFiles,
  rootFolder: string,
  path: VirtualPath,
  ofFolder: (stats: Stats) => string,
): Generator<string> {
  const below = lookAt(join(rootFolder, path))
  if (!below) return yield `${path} -`
  const own = lookAsOwner(join(layer.files, path))
  const isBoth = own?.isDirectory() === true && below.isDirectory()
  yield `${path} ${isBoth ? ofFolder(below) : stampOf(below)}`
  if (!isBoth || layer.opaque.has(path)) return
  for (const name of asOwner(join(layer.files, path), () => readdirSync(join(layer.files, path))))
    yield* hiddenStamps(layer, rootFolder, joinPath(path, name), ofFolder)
}

function* repositoryStamps(folder: string): Generator<string> {
  for (const part of repositoryParts) {
    const stats = lookAt(join(folder, part))
    yield `${part} ${stats ? stampOf(stats) : '-'}`
  }
  yield* treeStamps(join(folder, 'refs'))
}

function* treeStamps(folder: string): Generator<string> {
  for (const entry of entriesOf(folder)) {
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
