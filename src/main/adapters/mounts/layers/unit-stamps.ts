import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { ancestorsOf, isWithin, joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { lookAt, namesIn } from '../../system/look-at.ts'
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
  /** Paths that a layer without marks hides. Absent for none. */
  readonly hides?: readonly VirtualPath[]
}

/**
 * Names all that a unit hides or lies in: the project's own files there, and what the branch changed at it, above it or
 * below it. Folders that the unit adds to count by being there alone, so what a person does beside its files is shown
 * together with them. Only when the stamp is another one, the unit is compared path by path.
 *
 * `since` is when the mount of the layer was opened, in milliseconds since the Unix epoch. What the disk changed later gets
 * a stamp that no later one equals. Absent for a comparison.
 */
export function stampUnit(layer: LayerFiles, unit: VirtualPath, around: UnitSurroundings, since?: number): string {
  const { rootFolder, overlay } = around
  const stamp = createHash('sha256')
  for (const line of overlayAround(overlay, unit)) stamp.update(`${line}\n`)
  if (rootFolder !== null)
    for (const line of diskAround(layer, unit, rootFolder, since ?? Number.POSITIVE_INFINITY)) stamp.update(`${line}\n`)
  return stamp.digest('hex').slice(0, 32)
}

/** What the branch changed above, at and below a unit. */
export function overlayAbout(overlay: OverlayPaths, unit: VirtualPath): readonly (readonly [VirtualPath, string])[] {
  const above = ancestorsOf(unit).flatMap((path): readonly (readonly [VirtualPath, string])[] => {
    const change = overlay.get(path)
    return change === undefined ? [] : [[path, change]]
  })
  return [...above, ...[...overlay].filter(([path]) => isWithin(path, unit))]
}

function* overlayAround(overlay: OverlayPaths, unit: VirtualPath): Generator<string> {
  for (const [path, change] of overlayAbout(overlay, unit))
    if (!isWithin(path, unit) || !isHarmless(path, change, unit)) yield `${path} ${change}`
}

/** Files that show whether the repository is another one. Its index and its objects may differ without harm. */
const repositoryParts = ['HEAD', 'packed-refs', 'MERGE_HEAD', 'rebase-merge', 'rebase-apply']

/** True for a file of a repository, shown otherwise than it is on disk, that says nothing about which one it is. */
function isHarmless(path: VirtualPath, change: string, unit: VirtualPath): boolean {
  if (!isRepository(unit) || path === unit || !change.startsWith('file ')) return false
  const [part = ''] = path.slice(unit.length + 1).split('/')
  return part !== 'refs' && !repositoryParts.includes(part)
}

/** True for a `.git`, and for the repository of a submodule in one. */
export function isRepository(unit: VirtualPath): boolean {
  return /\/\.git(?:\/modules\/.+)?$/i.test(unit)
}

function* diskAround(layer: LayerFiles, unit: VirtualPath, rootFolder: string, since: number): Generator<string> {
  yield String(lookAt(join(rootFolder, parentOf(unit)))?.isDirectory())
  if (isRepository(unit)) yield* repositoryStamps(join(rootFolder, unit), since)
  else yield* hiddenStamps(layer, rootFolder, unit, since)
  for (const path of layer.hides ?? []) {
    const below = isWithin(path, unit) ? lookAt(join(rootFolder, path)) : undefined
    if (below) yield `${path} ${stampOf(below, since)}`
  }
}

/** Stamps of the project's own version of everything that the unit hides, and of the folders that it adds to. */
function* hiddenStamps(layer: LayerFiles, rootFolder: string, path: VirtualPath, since: number): Generator<string> {
  const below = lookAt(join(rootFolder, path))
  if (!below) return yield `${path} -`
  const own = lookAsOwner(join(layer.files, path))
  const addsToIt = own?.isDirectory() === true && below.isDirectory() && !layer.opaque.has(path)
  yield `${path} ${addsToIt ? 'folder' : stampOf(below, since)}`
  if (!addsToIt) return
  const onDisk = new Set(namesIn(join(rootFolder, path)))
  for (const name of asOwner(join(layer.files, path), () => readdirSync(join(layer.files, path))))
    if (onDisk.has(name)) yield* hiddenStamps(layer, rootFolder, joinPath(path, name), since)
    else yield `${joinPath(path, name)} -`
}

function* repositoryStamps(folder: string, since: number): Generator<string> {
  for (const part of repositoryParts) {
    const stats = lookAt(join(folder, part))
    yield `${part} ${stats ? stampOf(stats, since) : '-'}`
  }
  yield* treeStamps(join(folder, 'refs'), since)
}

/** True when the person changed references of a repository, or what it is in the middle of, after that time. */
export function changedRefs(folder: string, since: number): boolean {
  return [...repositoryStamps(folder, since)].some((line) => line.endsWith(changedMeanwhile))
}

function* treeStamps(folder: string, since: number): Generator<string> {
  for (const entry of entriesOf(folder)) {
    const location = join(folder, entry.name)
    const stats = lookAt(location)
    if (stats) yield `${location} ${stampOf(stats, since)}`
    if (entry.isDirectory()) yield* treeStamps(location, since)
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

const changedMeanwhile = 'changed meanwhile'

function stampOf(stats: Stats, since: number): string {
  if (stats.ctimeMs > since) return changedMeanwhile
  return `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.mode}`
}
