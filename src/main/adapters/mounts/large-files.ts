import { chmodSync, chownSync, closeSync, constants, fstatSync, openSync, renameSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { BranchMountError, type MountChange, type MountEntry, type NotKept } from '#core/ports/branch-mounts.ts'
import { type FilePermissions, permissionsOf, samePermissions } from '#shared/model/tree-node.ts'
import { ancestorsOf, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner } from '../system/as-owner.ts'
import { hashFile } from '../system/hash-file.ts'
import { removeInMade } from '../system/made-folders.ts'
import { openInside } from '../system/open-inside.ts'
import type { MountBase } from './mount-base.ts'

type LargeEntry = Extract<MountEntry, { kind: 'large' }>

const noFollow = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Puts a large file of the project at `location`, below a folder that exists. Shares its blocks where the disk can, and
 * copies it elsewhere: a hard link would let commands write to the project. `temporary` is a free name on the same disk.
 * Throws the signal's reason.
 */
export async function placeLarge(
  rootFolder: string | null,
  entry: LargeEntry,
  mode: number,
  location: string,
  temporary: string,
  signal: AbortSignal,
): Promise<void> {
  const { path, from, content, size } = entry
  using source = rootFolder === null ? undefined : openInside(rootFolder, from, 'file')
  if (!source || (await hashFile(source.descriptor, signal))?.blob !== content)
    throw new BranchMountError(
      'failed',
      `${path} cannot be shown: its ${size} bytes were at ${from}, which has changed on disk.`,
    )
  try {
    await copyFile(source.location, temporary, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    // Node gives a copy the owner of the file, as far as it may, and a view knows only the person.
    if (process.getuid && process.getgid) chownSync(temporary, process.getuid(), process.getgid())
    // A file that somebody writes to while it is copied is not the branch's file.
    if ((await hashFile(source.descriptor, signal))?.blob !== content)
      throw new Error(`${from} changed on disk meanwhile.`)
    asOwner(location, () => renameSync(temporary, location))
    asOwner(location, () => chmodSync(location, mode))
  } catch (error) {
    await removeInMade(temporary)
    throw noRoom(error) ? noSpace(path, size) : error
  }
}

function noRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}

function noSpace(path: VirtualPath, size: number): BranchMountError {
  return new BranchMountError(
    'no_space',
    `There is not enough space to show ${path} (${size} bytes) to the command under its new name. Free some space, or move the file after the command.`,
  )
}

/** A file that is too large to be taken over, as a command left it. */
export type LeftLarge = FilePermissions & {
  readonly path: VirtualPath
  /** Absolute path on disk. */
  readonly location: string
  /** In bytes. */
  readonly size: number
}

/**
 * The changes that large files mean: each must have the content of a file that the mount showed at the start, at its own
 * path or at one that the command removed or replaced. One with other content, or a copy, is left out: no patch can hold
 * that.
 */
export async function matchLarge(
  left: readonly LeftLarge[],
  changes: readonly MountChange[],
  base: MountBase,
): Promise<{ readonly matched: readonly MountChange[]; readonly notKept: readonly NotKept[] }> {
  const matched: MountChange[] = []
  const notKept: NotKept[] = []
  const arrived: LeftLarge[] = []
  for (const file of left) {
    const { path, size } = file
    const before = base.at(path)
    const isSame = before?.kind === 'file' && before.size === size && (await hasContent(file, before.content))
    if (!isSame) arrived.push(file)
    else if (!samePermissions(before, file)) matched.push({ kind: 'large', path, from: path, ...permissionsOf(file) })
  }
  const gone = goneFiles(changes, arrived, base)
  for (const file of arrived) {
    const { path, size } = file
    const from = await originOf(file, gone, base)
    if (from === undefined) notKept.push({ path, size, why: 'too_large' })
    else matched.push({ kind: 'large', path, from, ...permissionsOf(file) })
  }
  return { matched, notKept }
}

/**
 * The large files that no patch can hold, by their sizes alone: nothing is read while programs write. One that was there, or is
 * perhaps one of those that are gone, is not among them.
 */
export function newLarge(
  left: readonly LeftLarge[],
  changes: readonly MountChange[],
  base: MountBase,
): readonly NotKept[] {
  const sizeAt = (path: VirtualPath) => {
    const before = base.at(path)
    return before?.kind === 'file' ? before.size : undefined
  }
  const gone = new Set(changes.flatMap(({ kind, path }) => (kind === 'absent' ? [sizeAt(path)] : [])))
  return left.flatMap(({ path, size }) =>
    sizeAt(path) === size || gone.has(size) ? [] : [{ path, size, why: 'too_large' as const }],
  )
}

/** Reads a file only beside one of its size: a new one of any size, full of holes, is never read. */
async function hasContent(file: LeftLarge, content: (() => Promise<string | undefined>) | undefined): Promise<boolean> {
  const other = await content?.()
  return other !== undefined && (await contentOf(file)) === other
}

/** Undefined when it is no file, or changes meanwhile. */
async function contentOf({ location }: LeftLarge): Promise<string | undefined> {
  const descriptor = asOwner(location, () => openSync(location, noFollow))
  try {
    return fstatSync(descriptor).isFile() ? (await hashFile(descriptor))?.blob : undefined
  } finally {
    closeSync(descriptor)
  }
}

/**
 * The paths where the command removed or replaced a file, or a folder with all its files. A new folder may replace a
 * file. A folder that is still there is not among them, so its files cannot be copied.
 */
function goneFiles(
  changes: readonly MountChange[],
  arrived: readonly LeftLarge[],
  base: MountBase,
): ReadonlySet<VirtualPath> {
  const changed = [...arrived, ...changes].map(({ path }) => path)
  const kept = new Set(changes.flatMap(({ kind, path }) => (kind === 'directory' ? [path] : [])))
  const isGone = (path: VirtualPath) => base.at(path)?.kind === 'file' || !kept.has(path)
  const replaced = changed.flatMap(ancestorsOf).filter((path) => base.at(path)?.kind === 'file')
  return new Set([...changed.filter(isGone), ...replaced])
}

async function originOf(
  file: LeftLarge,
  paths: Iterable<VirtualPath>,
  base: MountBase,
): Promise<VirtualPath | undefined> {
  for (const top of paths) {
    for (const [path, contentAt] of filesWithin(base, top, file.size))
      if (await hasContent(file, contentAt)) return path
  }
  return undefined
}

type ContentAt = () => Promise<string | undefined>

/** The files of this size at and below a path, as they were at the start. */
function* filesWithin(base: MountBase, path: VirtualPath, size: number): Generator<readonly [VirtualPath, ContentAt]> {
  const node = base.at(path)
  if (node?.kind === 'file' && node.size === size && node.content) yield [path, node.content]
  if (node?.kind !== 'directory') return
  for (const name of base.names(path)) yield* filesWithin(base, joinPath(path, name), size)
}
