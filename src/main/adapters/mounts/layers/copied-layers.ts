import { isUtf8 } from 'node:buffer'
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { ancestorsOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { changeMode } from '../../system/change-mode.ts'
import { removeInMadeSync } from '../../system/made-folders.ts'
import { copyKept } from '../copy-files.ts'
import { isObjectPath } from '../git/shown-objects.ts'
import { changedUncarried, type Manifest, placeOf, type Uncarried } from '../manifest.ts'
import type { MountRules } from '../mount-rules.ts'
import type { Layer } from './layer-store.ts'

/** What a command changed in ignored files. */
export interface LeftOut {
  /** The topmost ignored paths at which it changed something. */
  readonly units: ReadonlySet<VirtualPath>
  /** Folders come before their content. A folder that is as it was before is not among them. */
  readonly written: readonly VirtualPath[]
  readonly removed: readonly VirtualPath[]
  /** Entries that no path names, each with all below it. */
  readonly unnamed: readonly Uncarried[]
}

/** `isLeft` is true for what a command left, also where no rule ignores it any more. */
export function leftOutBy(
  before: Manifest,
  after: Manifest,
  rules: MountRules,
  isLeft: (path: VirtualPath) => boolean,
): LeftOut {
  const units = new Set<VirtualPath>()
  const [written, removed]: [VirtualPath[], VirtualPath[]] = [[], []]
  for (const [path, entry] of [...before.entries, ...after.entries]) {
    const [was, is] = [before.entries.get(path), after.entries.get(path)]
    if (was?.stamp === is?.stamp) continue
    const isLeftOut = (one: VirtualPath) => rules.isLeftOut(one, one !== path || entry.kind === 'directory')
    const unit = [path, ...ancestorsOf(path)].filter(isLeftOut).at(-1) ?? (is || !isLeft(path) ? undefined : path)
    if (!unit) continue
    units.add(unit)
    if (is === entry) written.push(path)
    else if (isObjectPath(path)) continue
    else if (!is || (was?.kind === 'directory') !== (is.kind === 'directory')) removed.push(path)
  }
  const unnamed = changedUncarried(before, after).filter(({ not, folder }) => {
    const unit = [folder, ...ancestorsOf(folder)].filter((one) => one !== rootPath && rules.isLeftOut(one, true)).at(-1)
    if (unit && not.why !== 'special') units.add(unit)
    return unit && not.why !== 'special'
  })
  return { units, written: written.sort(byCodeUnit), removed, unnamed }
}

/** Moves what was written into another folder, with the folders above it, which stay. */
export function moveTree(from: string, to: string, { written, unnamed }: Pick<LeftOut, 'written' | 'unnamed'>): void {
  const makeAll = (folder: VirtualPath): void => {
    if (folder === rootPath || lookAsOwner(join(to, folder))) return
    makeAll(parentOf(folder))
    asOwner(join(to, folder), () => mkdirSync(join(to, folder)))
    const place = join(from, folder)
    // Only the folders above are opened, so that its own mode is seen.
    closing.push([join(to, folder), asOwner(dirname(place), () => lstatSync(place)).mode & 0o7777])
  }
  const closing: (readonly [string, number])[] = []
  for (const path of written) {
    if (lookAsOwner(join(from, path))?.isDirectory()) makeAll(path)
    else {
      makeAll(parentOf(path))
      asOwner(join(from, parentOf(path)), () => renameSync(join(from, path), join(to, path)))
    }
  }
  for (const { folder, name } of unnamed) {
    makeAll(folder)
    const [source, place] = [placeOf(join(from, folder), name), placeOf(join(to, folder), name)]
    const seen = asOwner(join(from, folder), () => lstatSync(source))
    // Only who may write a folder may move it to another one.
    const isClosed = seen.isDirectory() && (seen.mode & 0o700) !== 0o700
    if (isClosed) changeMode(source, from, seen, (seen.mode & 0o7777) | 0o700)
    asOwner(join(from, folder), () => renameSync(source, place))
    if (isClosed) changeMode(place, to, seen, seen.mode & 0o7777)
  }
  for (const [folder, mode] of closing.reverse()) chmodSync(folder, mode)
}

/** Makes a copy of the files below look like a layer on top of them. */
export async function showLayer(layer: Layer, files: string, signal: AbortSignal): Promise<void> {
  // A layer of an earlier version holds each of its units whole.
  if (layer.hides === undefined) for (const { path } of layer.units) removeInMadeSync(join(files, path))
  makeWay(layer, files)
  await copyKept([`${layer.files}/.`], files, signal)
}

/** Removes what a layer removed, and what is in the way of its files. */
export function makeWay(layer: Pick<Layer, 'files' | 'hides'>, files: string): void {
  for (const path of layer.hides?.toSorted((a, b) => byCodeUnit(b, a)) ?? []) {
    const stats = lookAsOwner(join(files, path))
    // Others may have put something into a folder that the command had removed.
    if (stats && (!stats.isDirectory() || namesAt(join(files, path)).length === 0)) removeInMadeSync(join(files, path))
  }
  clearBelow(layer.files, files)
}

/** Removes what a copy would write through, or could not replace. */
function clearWay(from: string, to: string): void {
  const there = lookAsOwner(to)
  if (!there) return
  const isFolder = lookAsOwner(from)?.isDirectory() === true
  if (!isFolder || !there.isDirectory()) removeInMadeSync(to)
  else clearBelow(from, to)
}

function clearBelow(from: string, to: string): void {
  // What no path names lies whole in the layer.
  for (const name of asOwner(from, () => readdirSync(from, { encoding: 'buffer' })))
    if (isUtf8(name)) clearWay(join(from, name.toString()), join(to, name.toString()))
    else removeInMadeSync(to, name)
}

function namesAt(folder: string): readonly string[] {
  return asOwner(folder, () => readdirSync(folder))
}
