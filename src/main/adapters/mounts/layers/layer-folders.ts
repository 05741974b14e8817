import { chmodSync, type Dirent, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ancestorsOf, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { removeInMadeSync } from '../../system/made-folders.ts'
import { moveEntry } from '../mount-folder.ts'

/**
 * Leaves only these paths in an upper layer. Opaque folders above them become plain ones, because their other content
 * now belongs to the branch and shows from the layer below.
 */
export function keepOnly(upper: string, units: readonly VirtualPath[], opaque: ReadonlySet<VirtualPath>): void {
  const kept = new Set(units)
  const above = new Set(units.flatMap((unit) => ancestorsOf(unit)))
  function clear(folder: VirtualPath): void {
    for (const entry of entriesOf(join(upper, folder))) {
      const path = joinPath(folder, entry.name.toString())
      if (kept.has(path)) continue
      if (above.has(path)) clear(path)
      else removeInMadeSync(join(upper, folder), entry.name)
    }
    if (opaque.has(folder)) makePlain(upper, folder)
  }
  clear(rootPath)
}

function entriesOf(folder: string): readonly Dirent<Buffer>[] {
  return asOwner(folder, () => readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }))
}

/**
 * Removes a path, and the folders above it that become empty and are not wanted. An empty folder of a layer would be
 * visible.
 */
export function removeFromLayer(layer: string, path: VirtualPath, isWanted: (folder: VirtualPath) => boolean): void {
  removeInMadeSync(join(layer, path))
  for (const folder of ancestorsOf(path)) {
    if (isWanted(folder)) return
    const location = join(layer, folder)
    if (!lookAsOwner(location)?.isDirectory() || entriesOf(location).length > 0) return
    removeInMadeSync(location)
  }
}

function makePlain(upper: string, folder: VirtualPath): void {
  const location = join(upper, folder)
  const plain = join(upper, '..', 'plain')
  const mode = (lookAsOwner(location)?.mode ?? 0o700) & 0o777
  mkdirSync(plain, { mode: 0o700 })
  for (const name of asOwner(location, () => readdirSync(location))) moveEntry(join(location, name), join(plain, name))
  removeInMadeSync(location)
  chmodSync(plain, mode)
  moveEntry(plain, location)
}
