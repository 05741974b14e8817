import { readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { ancestorsOf, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'

/** The part of a layer that says what a view of it shows. */
export interface ShownLayer {
  /** Absolute path. */
  readonly files: string
  readonly opaque: readonly VirtualPath[]
  readonly hides?: readonly VirtualPath[]
}

/**
 * What layers, the oldest first, show at a path: the newest that has something there, or says that nothing is. Undefined when all
 * leave it to what lies below them. Folders that hide what is below are those that did when their layer was made: what came there
 * later is joined with layers before a view opens.
 */
export function findInLayers<Layer extends ShownLayer>(
  layers: readonly Layer[],
  path: VirtualPath,
): { readonly layer: Layer; readonly stats: Stats } | 'gone' | undefined {
  for (const layer of layers.toReversed()) {
    const seen = lookIn(layer, path)
    if (seen !== undefined) return seen === 'gone' ? seen : { layer, stats: seen }
  }
  return undefined
}

/** What kind of thing that is. */
export function kindInLayers(
  layers: readonly ShownLayer[],
  path: VirtualPath,
): 'folder' | 'other' | 'gone' | undefined {
  const found = findInLayers(layers, path)
  return typeof found === 'object' ? (found.stats.isDirectory() ? 'folder' : 'other') : found
}

/** What the layers show in a folder, whether or not what lies below them has it too. In no order. */
export function namesInLayers(layers: readonly ShownLayer[], folder: VirtualPath): readonly string[] {
  const all = layers.flatMap(({ files }) => namesIn(join(files, folder)))
  return [...new Set(all)].filter((name) => typeof findInLayers(layers, joinPath(folder, name)) === 'object')
}

/** What one layer shows at a path. From the top, because what is below a link lies elsewhere. */
function lookIn({ files, opaque, hides }: ShownLayer, path: VirtualPath): Stats | 'gone' | undefined {
  if (hides?.includes(path)) {
    // Where views are copies, it is removed before the layer's own files come.
    const own = lookAsOwner(join(files, path))
    return own ?? 'gone'
  }
  let isHidden = false
  for (const folder of ancestorsOf(path).toReversed()) {
    const stats = lookAsOwner(join(files, folder))
    if (!stats) return isHidden ? 'gone' : undefined
    if (!stats.isDirectory()) return 'gone'
    isHidden ||= opaque.includes(folder)
  }
  const own = lookAsOwner(join(files, path))
  if (own) return isWhiteout(own) ? 'gone' : own
  return isHidden ? 'gone' : undefined
}

function namesIn(place: string): readonly string[] {
  return lookAsOwner(place)?.isDirectory() ? asOwner(place, () => readdirSync(place)) : []
}

/** The mark of an overlay file system for what was removed. */
function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0
}
