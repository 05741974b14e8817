import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { isGitName, type ScopeRules } from '../scope-rules.ts'
import { type Signature, signatureOf } from './grams.ts'

export interface FolderListing {
  /** Names of visible regular files, sorted. */
  readonly files: readonly string[]
  /** Names of visible folders. */
  readonly folders: readonly string[]
}

/**
 * Lists what a search enters of a folder. `foreign` where only the engine knows that: in a repository inside the project,
 * for which the ignore files around it do not count, in a folder that cannot be read, and where a name is not UTF-8.
 * Null when there is no folder.
 */
export function listFolder(rootFolder: string, path: VirtualPath, rules: ScopeRules): FolderListing | 'foreign' | null {
  const location = join(rootFolder, path)
  try {
    if (!lstatSync(location).isDirectory()) return null
    const entries = readdirSync(location, { withFileTypes: true })
    const names = entries.map(({ name }) => name)
    if (names.some((name) => name.includes('\ufffd') || (path !== '/' && isGitName(name)))) return 'foreign'
    const isRuled = rules.isRuled(path, names.includes('.gitignore'))
    const isVisible = (at: VirtualPath, isFolder: boolean) =>
      !rules.isHiddenItself(at, isFolder) && !(isFolder ? rules.isFolderIgnored(at) : isRuled && rules.isIgnored(at))
    const kept = entries.filter(
      (entry) => !isGitName(entry.name) && isVisible(joinPath(path, entry.name), entry.isDirectory()),
    )
    return {
      files: namesWhere(kept, (entry) => entry.isFile()).sort(byCodeUnit),
      folders: namesWhere(kept, (entry) => entry.isDirectory()),
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'foreign'
  }
}

function namesWhere(entries: readonly Dirent[], is: (entry: Dirent) => boolean): string[] {
  return entries.filter(is).map(({ name }) => name)
}

/** Larger files are left to the engine. */
const mostBytes = 8 * 1024 * 1024
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The signature of a file as it is now, and the stamp of what was read. Null where nothing is certain. */
export function readSignature(
  location: string,
  settlingMs: number,
): {
  readonly stamp: string | null
  readonly signature: Signature | null
} {
  let descriptor: number | undefined
  try {
    descriptor = openSync(location, flags)
    const stats = fstatSync(descriptor)
    const text = isReadable(stats) ? readWhole(descriptor, stats.size) : null
    return { stamp: stampOf(stats, settlingMs), signature: text && signatureOf(text) }
  } catch {
    return { stamp: null, signature: null }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** A file with a second name may change through it, and no watch of its folder would tell. */
function isReadable(stats: Stats): boolean {
  return stats.isFile() && stats.nlink === 1 && stats.size <= mostBytes
}

/** Null when the file does not end where it should. */
function readWhole(descriptor: number, size: number): Uint8Array | null {
  const bytes = Buffer.allocUnsafe(size + 1)
  let done = 0
  for (let count = -1; done < bytes.length && count !== 0; done += count)
    count = readSync(descriptor, bytes, done, bytes.length - done, done)
  return done === size ? bytes.subarray(0, size) : null
}

/** What changes with every change of a file. Null when it changed too recently to be sure of that. */
function stampOf({ dev, ino, size, mtimeMs, ctimeMs, nlink }: Stats, settlingMs: number): string | null {
  if (Math.max(mtimeMs, ctimeMs) > Date.now() - settlingMs) return null
  return `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs} ${nlink}`
}

/** The stamp of a file without reading it. */
export function readStamp(location: string): string | null {
  try {
    return stampOf(lstatSync(location), 0)
  } catch {
    return null
  }
}

/** Sums up names and stamps. Empty when one is unknown, so that it equals no other. */
export function digestOf(names: readonly string[], stamps: readonly (string | null)[]): string {
  if (stamps.includes(null)) return ''
  return createHash('sha1')
    .update(names.map((name, at) => `${name}\0${stamps[at]}\0`).join(''))
    .digest('base64')
}
