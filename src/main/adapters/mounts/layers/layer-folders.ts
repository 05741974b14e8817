import { chmodSync, type Dirent, linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ancestorsOf, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { removeInMadeSync } from '../../system/made-folders.ts'
import { moveEntry } from '../mount-folder.ts'
import { asSetup, runInside } from '../namespace.ts'

/**
 * Leaves only these paths in an upper layer. Folders above them become plain ones, because their other content now belongs to
 * the branch and shows from the layer below. Any of them may hide that: the kernel also marks a folder that was renamed, and
 * nothing but the mark itself tells.
 */
export function keepOnly(upper: string, units: readonly VirtualPath[]): void {
  const kept = new Set(units)
  const above = new Set(units.flatMap((unit) => ancestorsOf(unit)))
  function clear(folder: VirtualPath): void {
    for (const entry of entriesOf(join(upper, folder))) {
      const path = joinPath(folder, entry.name.toString())
      if (kept.has(path)) continue
      if (above.has(path)) clear(path)
      else removeInMadeSync(join(upper, folder), entry.name)
    }
    if (folder !== rootPath) makePlain(upper, folder)
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

/** Makes a folder one that shows what lies below it, whatever the kernel marked it as. */
export function makePlain(upper: string, folder: VirtualPath): void {
  const location = join(upper, folder)
  const plain = join(upper, '..', 'plain')
  const mode = (lookAsOwner(location)?.mode ?? 0o700) & 0o7777
  mkdirSync(plain, { mode: 0o700 })
  for (const name of asOwner(location, () => readdirSync(location))) moveEntry(join(location, name), join(plain, name))
  removeInMadeSync(location)
  chmodSync(plain, mode)
  moveEntry(plain, location)
}

/**
 * Puts folders into another one, or what they hold where a path ends with `/.`, with hard links in place of copies of files,
 * since nobody writes to a layer. The folders keep their marks and times.
 */
export async function linkTrees(folders: readonly string[], into: string): Promise<void> {
  if (process.platform === 'linux') {
    await runInside(asSetup(['cp', '-al', '--', ...folders, into]))
    return
  }
  for (const folder of folders) linkTree(folder, join(into, basename(folder)))
}

function linkTree(from: string, to: string): void {
  const stats = lookAsOwner(from)
  if (stats?.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else if (!stats?.isDirectory()) asOwner(from, () => linkSync(from, to))
  if (!stats?.isDirectory()) return
  if (!lookAsOwner(to)) mkdirSync(to, { mode: 0o700 })
  for (const name of asOwner(from, () => readdirSync(from))) linkTree(join(from, name), join(to, name))
  chmodSync(to, stats.mode & 0o7777)
}

/** Moves an entry, or what a folder holds into a folder of the same name. What was there before gives way. */
export function moveInto(from: string, to: string): void {
  const [moved, there] = [lookAsOwner(from), lookAsOwner(to)]
  if (moved?.isDirectory() && there?.isDirectory()) {
    for (const name of asOwner(from, () => readdirSync(from))) moveInto(join(from, name), join(to, name))
    removeInMadeSync(from)
    return
  }
  if (there) removeInMadeSync(to)
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  if (moved?.isCharacterDevice()) removeInMadeSync(from)
  else moveEntry(from, to)
}

/** Makes marks of an overlay file system, which hide what lies below. Node cannot make one. */
export async function hidePaths(files: string, paths: readonly VirtualPath[]): Promise<void> {
  if (paths.length === 0) return
  const input = Buffer.from(paths.map((path) => `${join(files, path)}\0`).join(''))
  const script = 'while IFS= read -r -d "" p; do mkdir -p -- "$(dirname "$p")" && mknod -- "$p" c 0 0 || exit; done'
  await runInside(asSetup(['bash', '--norc', '-c', script]), { input })
}
