import { lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { ancestorsOf, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { removeInMadeSync } from '../system/made-folders.ts'

/**
 * Leaves only these paths in an upper layer. Opaque folders above them become plain ones, because their other content
 * now belongs to the branch and shows from the layer below.
 */
export function keepOnly(upper: string, units: readonly VirtualPath[], opaque: ReadonlySet<VirtualPath>): void {
  const kept = new Set(units)
  const above = new Set(units.flatMap((unit) => ancestorsOf(unit)))
  function clear(folder: VirtualPath): void {
    for (const entry of readdirSync(join(upper, folder), { withFileTypes: true, encoding: 'buffer' })) {
      const path = joinPath(folder, entry.name.toString())
      if (kept.has(path)) continue
      if (above.has(path)) clear(path)
      else removeInMadeSync(join(upper, folder), entry.name)
    }
    if (opaque.has(folder)) makePlain(upper, folder)
  }
  clear(rootPath)
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
    if (!lstatSync(location, { throwIfNoEntry: false })?.isDirectory() || readdirSync(location).length > 0) return
    removeInMadeSync(location)
  }
}

function makePlain(upper: string, folder: VirtualPath): void {
  const location = join(upper, folder)
  const plain = join(upper, '..', 'plain')
  mkdirSync(plain, { mode: lstatSync(location).mode & 0o777 })
  for (const name of readdirSync(location)) renameSync(join(location, name), join(plain, name))
  removeInMadeSync(location)
  renameSync(plain, location)
}
