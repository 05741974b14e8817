import { isUtf8 } from 'node:buffer'
import { constants, readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { BranchMountError, type MountCapture, type MountChange, type MountEntry } from '#core/ports/branch-mounts.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { ancestorsOf, isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner } from '../system/as-owner.ts'
import { type LeftLarge, matchLarge, newLarge } from './large-files.ts'
import { changedMode, type FolderMode } from './layers/folder-modes.ts'
import { changedUncarried, type Manifest, type ManifestEntry } from './manifest.ts'
import { createMountBase, type MountBase, readRegular as readClosed } from './mount-base.ts'
import type { MountRules } from './mount-rules.ts'
import { takeChanges } from './taken-changes.ts'
import { removedByFolders } from './upper-walk.ts'
import type { WrittenFiles } from './written-files.ts'

export interface CaptureInput {
  readonly files: string
  /** How they are read while programs may still write. Files over the limit are then left out. Absent after their end. */
  readonly moving?: WrittenFiles
  /** Where the command had them, if elsewhere. Links lead there. */
  readonly shown?: string
  readonly rootFolder: string | null
  readonly overlay: readonly MountEntry[]
  readonly before: Manifest
  readonly after: Manifest
  readonly rules: MountRules
  /** Permissions of folders that the view showed in place of the usual ones. */
  readonly shownModes: ReadonlyMap<VirtualPath, number>
  /** In bytes. A larger file is only taken when its content was there at the start. */
  readonly mostBytes: number
}

const noFollow = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
/** Returns how the mount differs from what the command started with, sorted by path. */
export async function capture(
  input: CaptureInput,
): Promise<Omit<MountCapture, 'placeChanges' | 'environment'> & { readonly modes: readonly FolderMode[] }> {
  const { before, after, rules } = input
  const base = createMountBase(input.overlay, input.rootFolder)
  const given = new Map(input.overlay.map((entry) => [entry.path, entry]))
  const taken = takeChanges()
  const modes: FolderMode[] = []
  let ignoredChanges = 0
  for (const { not, folder, stamp } of changedUncarried(before, after)) {
    const isLeftOut = folder !== rootPath && rules.isLeftOut(folder, true)
    if (isLeftOut) ignoredChanges += 1
    // A socket is nothing without its program. No layer of a copy has another special file.
    if (!isLeftOut || (not.why === 'special' && stamp !== 'socket')) taken.leaveOut(not)
  }
  const stays = new Set(after.uncarried.map(({ not }) => not.path))
  for (const { not } of before.uncarried) if (!stays.has(not.path) && not.why !== 'special') taken.leaveOut(not)
  const left: LeftLarge[] = []
  for (const [path, entry] of after.entries) {
    const old = before.entries.get(path)
    if (old?.stamp === entry.stamp) continue
    if (rules.isLeftOut(path, entry.kind === 'directory')) {
      ignoredChanges += entry.kind === 'directory' ? 0 : 1
      continue
    }
    if (entry.kind === 'file' && entry.size > input.mostBytes) {
      const { size, mode } = entry
      left.push({ path, location: join(input.files, path), size, ...base.permissionsOf(path, mode) })
      continue
    }
    const change = await changeAt(input, base, given.get(path), path, old, entry)
    if (change === 'unnamed') taken.leaveOut({ path, size: 0, why: 'name' })
    else if (change) taken.add(change)
  }
  for (const [path, { kind, mode }] of after.entries)
    if (kind === 'directory' && before.entries.get(path)?.mode !== mode && !rules.isLeftOut(path, true)) {
      const changed = changedMode(path, mode, base, input.shownModes)
      if (changed) modes.push(changed)
      if (changed && base.hasOtherFolderMode(path, mode)) taken.leaveOut({ path, size: 0, why: 'folder_mode' })
    }
  const gone = [...before.entries].filter(([path]) => !after.entries.has(path))
  // Of a folder that holds ignored files only the project's own are removed. The ignored ones are hidden in views alone.
  const ignored = gone.flatMap(([path, { kind }]) => (rules.isLeftOut(path, kind === 'directory') ? [path] : []))
  const [isIgnored, above] = [new Set(ignored), new Set(ignored.flatMap((path) => ancestorsOf(path)))]
  for (const [path, entry] of gone) {
    const isLeft = isIgnored.has(path) || base.at(path) === undefined
    if (!isLeft && !above.has(path)) taken.add({ kind: 'absent', path })
    else if (isLeft && entry.kind !== 'directory') ignoredChanges += 1
  }
  const replaced = [...after.entries].flatMap(([path, { kind }]) =>
    kind === 'directory' && (before.entries.get(path)?.kind ?? kind) !== kind && !rules.isLeftOut(path, true)
      ? [path]
      : [],
  )
  if (replaced.length > 0) {
    const changed = [...taken.seen().filter(({ kind }) => kind !== 'directory'), ...left].map(({ path }) => path)
    const isFilled = (folder: VirtualPath) =>
      [...after.entries.keys()].some((path) => ancestorsOf(path).includes(folder))
    for (const path of removedByFolders(replaced, changed)) if (isFilled(path)) taken.add({ kind: 'absent', path })
  }
  const large = input.moving
    ? { matched: [], notKept: newLarge(left, taken.seen(), base) }
    : await matchLarge(left, taken.seen(), base)
  for (const change of large.matched) taken.add(change)
  for (const one of large.notKept) taken.leaveOut(one)
  const { changes, notKept } = taken.finish(base)
  return { changes: withoutImplied(changes, after), ignoredChanges, modes, ...(notKept.length > 0 && { notKept }) }
}

async function changeAt(
  input: CaptureInput,
  base: MountBase,
  given: MountEntry | undefined,
  path: VirtualPath,
  old: ManifestEntry | undefined,
  entry: ManifestEntry,
): Promise<MountChange | 'unnamed' | undefined> {
  const location = join(input.files, path)
  switch (entry.kind) {
    case 'directory':
      return { kind: 'directory', path }
    case 'symlink':
      return linkAt(input, path, location)
    case 'file': {
      const bytes = await bytesAt(input, path, location)
      if (bytes === undefined) return undefined
      const same = old?.kind === 'file' && old.mode === entry.mode && old.size === entry.size
      if (same && (await contentBefore(input, given, path))?.equals(bytes)) return undefined
      return { kind: 'file', path, bytes: new Uint8Array(bytes), ...base.permissionsOf(path, entry.mode) }
    }
  }
}

/** Undefined when it is no file any more. */
async function bytesAt({ moving }: CaptureInput, path: VirtualPath, location: string): Promise<Buffer | undefined> {
  if (!moving) return readRegular(location)
  return moving.at(path, (place) => Buffer.from(readClosed(place)))
}

/** Undefined when it is no link any more. */
function linkAt(input: CaptureInput, path: VirtualPath, location: string): MountChange | 'unnamed' | undefined {
  const bytes = input.moving
    ? input.moving.at(path, (place) => readlinkSync(place, 'buffer'))
    : asOwner(location, () => readlinkSync(location, 'buffer'))
  if (bytes && !isUtf8(bytes)) return 'unnamed'
  const target = bytes?.toString()
  return target === undefined ? undefined : { kind: 'symlink', path, target: linkTarget(input, location, target) }
}

/** The file's content when the command began: from the overlay, else from the project. */
async function contentBefore(
  { rootFolder }: CaptureInput,
  given: MountEntry | undefined,
  path: VirtualPath,
): Promise<Buffer | undefined> {
  if (given?.kind === 'file') return Buffer.from(given.read())
  return rootFolder === null ? undefined : readRegular(join(rootFolder, path)).catch(() => undefined)
}

async function readRegular(location: string): Promise<Buffer> {
  return read(location).catch((error) => {
    if (error.code !== 'EACCES') throw error
    return Buffer.from(asOwner(location, () => readClosed(location)))
  })
}

async function read(location: string): Promise<Buffer> {
  await using file = await open(location, noFollow)
  if (!(await file.stat()).isFile()) throw new BranchMountError('failed', `${location} is not a regular file any more.`)
  return await file.readFile()
}

/**
 * Makes a link into the command's own copy relative, because the copy will be gone later. Commands know the copy by its
 * own path and by that of the project.
 */
function linkTarget({ files, shown = files, rootFolder }: CaptureInput, location: string, target: string): string {
  const places = rootFolder === null ? [shown] : [shown, rootFolder]
  const leadsTo = places.find((place) => isAbsolute(target) && isWithin(target as VirtualPath, place as VirtualPath))
  return leadsTo === undefined ? target : relative(dirname(join(leadsTo, relative(files, location))), target) || '.'
}

/**
 * Drops changes that follow from others: an entry of a new folder brings the folder, and a removed path takes its
 * content along.
 */
function withoutImplied(changes: readonly MountChange[], after: Manifest): readonly MountChange[] {
  const filled = new Set([...after.entries.keys()].flatMap((path) => ancestorsOf(path)))
  const removed = new Set(changes.filter(({ kind }) => kind === 'absent').map(({ path }) => path))
  const replaced = new Set(
    changes.filter(({ kind }) => kind === 'file' || kind === 'large' || kind === 'symlink').map(({ path }) => path),
  )
  return changes
    .filter(({ kind, path }) => {
      if (kind === 'directory') return !filled.has(path)
      if (kind !== 'absent') return true
      return !ancestorsOf(path).some((folder) => removed.has(folder) || replaced.has(folder))
    })
    .sort((a, b) => byCodeUnit(a.path, b.path))
}
