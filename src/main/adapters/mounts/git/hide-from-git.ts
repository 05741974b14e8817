import { chmodSync, mkdirSync, readdirSync, readFileSync, type Stats, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { lookAt } from '../../system/look-at.ts'
import { removeInMadeSync } from '../../system/made-folders.ts'
import { readRegular } from '../mount-base.ts'
import { markIndex } from './mark-index.ts'

const indexPath = '/.git/index' as VirtualPath
/** Bytes. A larger index is left as it is. */
const mostBytes = 256 * 1024 * 1024

/** The index of the person's repository as mounts begin with it. Undefined for none. */
export function indexBelow(overlay: readonly MountEntry[], rootFolder: string | null): Buffer | undefined {
  const entry = overlay.find(({ path }) => path === indexPath)
  if (entry) return entry.kind === 'file' ? Buffer.from(entry.read()) : undefined
  const isReplaced = overlay.some(({ path }) => path === '/.git')
  if (isReplaced || rootFolder === null || !lookAt(join(rootFolder, '.git'))?.isDirectory()) return undefined
  return readIndex(join(rootFolder, indexPath))
}

export function readIndex(location: string): Buffer | undefined {
  const stats = lookAsOwner(location)
  if (!stats?.isFile() || stats.size > mostBytes) return undefined
  try {
    return Buffer.from(asOwner(location, () => readRegular(location)))
  } catch {
    return undefined
  }
}

/**
 * The index that a mount shows, with the hidden files marked as not looked for. Marks of the person's own index stay, and
 * so goes one that an earlier mount made for a file that is no longer hidden. Null when it is right as it is.
 */
export function indexWithHidden(
  shown: Buffer,
  person: Buffer | undefined,
  hiddenFiles: readonly VirtualPath[],
): Buffer | null {
  const own = new Set<string>()
  if (person !== undefined && person !== shown)
    markIndex(person, (path, now) => {
      if (now) own.add(path)
      return now
    })
  const hidden = new Set(hiddenFiles.map((path) => Buffer.from(path.slice(1)).toString('latin1')))
  return markIndex(shown, (path, now) => hidden.has(path) || (now && (person === shown || own.has(path))))
}

/**
 * Writes the index into a layer that programs write to, with the time of the one that it stands for: git trusts no stamp of
 * a file that changed in the second in which its index was written. Undefined for the time of now.
 */
export function putIndex(layer: string, index: Buffer, rootFolder: string | null, replaced: Stats | undefined): void {
  const location = join(layer, indexPath)
  const below = rootFolder === null ? undefined : lookAt(join(rootFolder, '.git'))
  if (!lookAsOwner(dirname(location))) {
    asOwner(layer, () => mkdirSync(dirname(location)))
    if (below?.isDirectory()) asOwner(layer, () => chmodSync(dirname(location), below.mode & 0o777))
  }
  asOwner(location, () => writeFileSync(location, index, { mode: 0o644 }))
  if (replaced) asOwner(location, () => utimesSync(location, replaced.atime, replaced.mtime))
}

/** Takes the index away again, unless a program changed it. */
export function takeIndexBack(layer: string, index: Buffer): void {
  const location = join(layer, indexPath)
  const stats = lookAsOwner(location)
  if (!stats?.isFile() || stats.size !== index.length) return
  if (!asOwner(location, () => readFileSync(location)).equals(index)) return
  const folder = dirname(location)
  removeInMadeSync(location)
  if (asOwner(folder, () => readdirSync(folder)).length === 0) removeInMadeSync(folder)
}
