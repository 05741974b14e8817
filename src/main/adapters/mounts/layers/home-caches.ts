import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { asOwner } from '../../system/as-owner.ts'
import { lookAt } from '../../system/look-at.ts'
import { emptyFolder, ensureFolder, moveEntry } from '../mount-folder.ts'
import { personsLink, type StackedCache } from '../namespace.ts'
import type { Layer } from './layer-store.ts'

/** A folder of the person's home that commands find in theirs. They add to it for their branch alone. */
export interface HomeCache {
  /** Absolute path of the person's folder. */
  readonly from: string
  /** Where commands have it, below their home. */
  readonly path: string
}

/** Below the folder of a mount: where another user gets the caches, what a command writes to them, and folders for the kernel. */
const parts = { caches: 'caches', upper: 'cache-upper', work: 'cache-work' }

/**
 * Gets the caches ready for a mount. The oldest of `layers` comes first. A cache whose path is something else in a
 * layer, such as a link, is left out: the kernel would follow it.
 */
export async function stackCaches(
  folder: string,
  caches: readonly HomeCache[],
  { layers, layersFolder }: { readonly layers: readonly Pick<Layer, 'id' | 'home'>[]; readonly layersFolder: string },
): Promise<readonly StackedCache[]> {
  for (const part of Object.values(parts)) {
    await ensureFolder(join(folder, part))
    await emptyFolder(join(folder, part))
  }
  const homes = layers.filter(({ home }) => home).toReversed()
  return caches.flatMap(({ from, path }, index) => {
    const number = index + 1
    const kinds = homes.map(({ id }) => ({ id, kind: kindOf(join(layersFolder, id, 'home'), path) }))
    if (kinds.some(({ kind }) => kind === 'other')) return []
    for (const part of Object.values(parts)) mkdirSync(join(folder, part, String(number)))
    symlinkSync(from, join(folder, 'stack', personsLink(number)))
    mkdirSync(join(folder, 'home-base', path), { recursive: true })
    const links = kinds.filter(({ kind }) => kind === 'folder').map(({ id }, at) => ({ id, link: `c${number}.${at}` }))
    for (const { id, link } of links) symlinkSync(`../layers/${id}/home/${path}`, join(folder, 'stack', link))
    return [{ from, path, number, links: links.map(({ link }) => link) }]
  })
}

/** The caches that a program may find now. What it did to its home may have put a link in the way of others. */
export function safeCaches(folder: string, caches: readonly StackedCache[]): readonly StackedCache[] {
  return caches.filter(({ path }) => kindOf(join(folder, 'home-upper'), path) !== 'other')
}

/** Puts what a command added to caches where a layer of its home has it. Caches that it closed are dropped. */
export function takeCachesIn(folder: string, caches: readonly StackedCache[]): void {
  for (const { number, path } of caches) {
    const added = join(folder, parts.upper, String(number))
    const home = join(folder, 'home-upper')
    const place = join(home, path)
    if (asOwner(added, () => readdirSync(added)).length === 0) continue
    if (kindOf(home, dirname(path)) === 'other' || existsSync(place)) continue
    mkdirSync(dirname(place), { recursive: true })
    moveEntry(added, place)
  }
}

/** What the home in a layer has at a path: a real folder, nothing, or something that hides or leads elsewhere. */
function kindOf(home: string, path: string): 'folder' | 'nothing' | 'other' {
  let place = home
  for (const name of path.split('/')) {
    place = join(place, name)
    const stats = lookAt(place)
    if (!stats) return isMissing(place) ? 'nothing' : 'other'
    if (!stats.isDirectory()) return 'other'
  }
  return 'folder'
}

/** False when this user may not look. */
function isMissing(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}
