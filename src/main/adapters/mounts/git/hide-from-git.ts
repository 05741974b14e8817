import { chmodSync, mkdirSync, readdirSync, readFileSync, type Stats, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import { ancestorsOf, isWithin, joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { lookAt } from '../../system/look-at.ts'
import { removeInMadeSync } from '../../system/made-folders.ts'
import { readRegular } from '../mount-base.ts'
import { markIndex } from './mark-index.ts'
import { joinSplitIndex } from './split-index.ts'

const gitFolder = '/.git' as VirtualPath
/** Bytes. A larger index is left as it is. */
const mostBytes = 256 * 1024 * 1024
/** Of a file that says where the folder of git is. */
const mostOfPointer = 4096

/** A repository whose index names hidden files: that of the project, a submodule, or another one inside. */
export interface IndexPlace {
  readonly index: VirtualPath
  /** The folder of its files; `/` for the project. */
  readonly top: VirtualPath
}

/** The repositories of these files, and that of the project in any case. `read` reads files that the mount shows. */
export function indexPlaces(
  hiddenFiles: readonly VirtualPath[],
  look: (path: VirtualPath) => Stats | undefined,
  read: (path: VirtualPath) => Buffer | undefined,
): readonly IndexPlace[] {
  const project: IndexPlace = { index: joinPath(gitFolder, 'index'), top: '/' as VirtualPath }
  const folders = new Set(hiddenFiles.flatMap(ancestorsOf).filter((folder) => folder !== '/'))
  const inner = [...folders].flatMap((top): readonly IndexPlace[] => {
    const git = joinPath(top, '.git')
    const stats = look(git)
    if (stats?.isDirectory()) return [{ index: joinPath(git, 'index'), top }]
    const target =
      stats?.isFile() && stats.size <= mostOfPointer ? /^gitdir: (.+)\n?$/.exec(`${read(git) ?? ''}`)?.[1] : undefined
    const folder = target && join(top, target)
    return folder && isWithin(folder as VirtualPath, gitFolder)
      ? [{ index: joinPath(folder as VirtualPath, 'index'), top }]
      : []
  })
  return [project, ...inner]
}

/** The index of the person's repository as mounts begin with it. Undefined for none. */
export function indexBelow(
  { index }: IndexPlace,
  overlay: readonly MountEntry[],
  rootFolder: string | null,
): Buffer | undefined {
  const entry = overlay.find(({ path }) => path === index)
  if (entry) return entry.kind === 'file' ? Buffer.from(entry.read()) : undefined
  const isReplaced = overlay.some(({ path }) => path === gitFolder)
  if (isReplaced || rootFolder === null || !lookAt(join(rootFolder, parentOf(index)))?.isDirectory()) return undefined
  return readIndex(rootFolder, index, [])
}

/** The index in one of these folders, in one piece. `others` are the folders below, which may have the rest of a split one. */
export function readIndex(folder: string, index: VirtualPath, others: readonly string[]): Buffer | undefined {
  const found = readBounded(join(folder, index))
  return (
    found &&
    joinSplitIndex(found, (name) => {
      for (const one of [folder, ...others]) {
        const shared = readBounded(join(one, parentOf(index), name))
        if (shared) return shared
      }
      return undefined
    })
  )
}

function readBounded(location: string): Buffer | undefined {
  const stats = lookAsOwner(location)
  if (!stats?.isFile() || stats.size > mostBytes) return undefined
  try {
    return Buffer.from(asOwner(location, () => readRegular(location)))
  } catch {
    return undefined
  }
}

/**
 * The index that a mount shows, with the hidden files marked as not looked for. Marks of the person's own index stay, and those
 * of files that are not there, as a sparse checkout has them. So goes one that an earlier mount made for a file that is no
 * longer hidden. `isThere` says what the mount has. Null when the index is right as it is.
 */
export function indexWithHidden(
  { top }: IndexPlace,
  shown: Buffer,
  person: Buffer | undefined,
  hiddenFiles: readonly VirtualPath[],
  isThere: (path: VirtualPath) => boolean,
): Buffer | null {
  const own = new Set<string>()
  if (person !== undefined && person !== shown)
    markIndex(person, (path, now) => {
      if (now) own.add(path)
      return now
    })
  const start = top === '/' ? 1 : top.length + 1
  const below = hiddenFiles.filter((path) => isWithin(path, top))
  const hidden = new Set(below.map((path) => Buffer.from(path.slice(start)).toString('latin1')))
  // A folder in a sparse index is never without its mark.
  const isMissing = (path: string) =>
    path.endsWith('/') || !isThere(joinPath(top, Buffer.from(path, 'latin1').toString()))
  const stays = (path: string) => person === shown || own.has(path) || isMissing(path)
  return markIndex(shown, (path, now) => hidden.has(path) || (now && stays(path)))
}

/**
 * Writes the index into a layer that programs write to, with the time of the one that it stands for: git trusts no stamp of
 * a file that changed in the second in which its index was written. Undefined for the time of now.
 */
export function putIndex(
  layer: string,
  { index: path }: IndexPlace,
  index: Buffer,
  rootFolder: string | null,
  replaced: Stats | undefined,
): void {
  const location = join(layer, path)
  for (const folder of ancestorsOf(path).toReversed()) {
    if (folder === '/' || lookAsOwner(join(layer, folder))) continue
    const below = rootFolder === null ? undefined : lookAt(join(rootFolder, folder))
    asOwner(dirname(join(layer, folder)), () => mkdirSync(join(layer, folder)))
    if (below?.isDirectory()) asOwner(layer, () => chmodSync(join(layer, folder), below.mode & 0o7777))
  }
  asOwner(location, () => writeFileSync(location, index, { mode: 0o644 }))
  if (replaced) asOwner(location, () => utimesSync(location, replaced.atime, replaced.mtime))
}

/** Takes the index away again, unless a program changed it. */
export function takeIndexBack(layer: string, { index: path }: IndexPlace, index: Buffer): void {
  const location = join(layer, path)
  const stats = lookAsOwner(location)
  if (!stats?.isFile() || stats.size !== index.length) return
  if (!asOwner(location, () => readFileSync(location)).equals(index)) return
  removeInMadeSync(location)
  for (const folder of ancestorsOf(path)) {
    const place = join(layer, folder)
    if (folder === '/' || asOwner(place, () => readdirSync(place)).length > 0) return
    removeInMadeSync(place)
  }
}
