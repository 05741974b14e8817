import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { BranchMountError, type MountEntry } from '#core/ports/branch-mounts.ts'
import { asOwner, lookAsOwner } from '../system/as-owner.ts'
import { removeInMadeSync } from '../system/made-folders.ts'
import { placeLarge } from './large-files.ts'
import { createMountBase, type MountBase } from './mount-base.ts'

const sliceMs = 8

/** Makes a fresh copy of the base look like the branch. Folders come before their entries. Throws the signal's reason. */
export async function writeOverlay(
  folder: string,
  entries: readonly MountEntry[],
  rootFolder: string | null,
  signal: AbortSignal,
): Promise<void> {
  let sliceEnd = performance.now() + sliceMs
  const base = createMountBase(entries, rootFolder)
  for (const entry of entries) {
    try {
      if (entry.kind === 'large') await writeLarge(folder, entry, base, rootFolder, signal)
      else writeEntry(folder, entry, base)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof BranchMountError) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new BranchMountError('failed', `${entry.path} could not be written for the command: ${reason}`)
    }
    if (performance.now() > sliceEnd) {
      await setImmediate()
      sliceEnd = performance.now() + sliceMs
    }
  }
}

async function writeLarge(
  folder: string,
  entry: Extract<MountEntry, { kind: 'large' }>,
  base: MountBase,
  rootFolder: string | null,
  signal: AbortSignal,
): Promise<void> {
  const location = join(folder, entry.path)
  makeFolders(folder, dirname(location))
  removeInMadeSync(location)
  await placeLarge(rootFolder, entry, modeOf(entry, base), location, `${folder}.large`, signal)
}

function writeEntry(folder: string, entry: Exclude<MountEntry, { kind: 'large' }>, base: MountBase): void {
  const location = join(folder, entry.path)
  switch (entry.kind) {
    case 'absent':
      removeInside(folder, location)
      break
    case 'directory':
      if (entry.opaque) removeInside(folder, location)
      makeFolders(folder, location)
      break
    default:
      makeFolders(folder, dirname(location))
      removeInMadeSync(location)
      writeNode(location, entry, base)
  }
}

/** The permissions of a file of the branch in a mount, which an apply would give it too. */
export function modeOf(
  { path, executable, mode }: Extract<MountEntry, { kind: 'file' | 'large' }>,
  base: MountBase,
): number {
  return mode ?? base.usualMode(path, executable)
}

export function writeNode(
  location: string,
  entry: Extract<MountEntry, { kind: 'file' | 'symlink' }>,
  base: MountBase,
): void {
  asOwner(location, () => {
    if (entry.kind === 'symlink') return symlinkSync(entry.target, location)
    const [mode, { time }] = [modeOf(entry, base), entry]
    writeFileSync(location, entry.read(), { flag: 'wx', mode })
    if (mode & process.umask()) chmodSync(location, mode)
    if (time !== undefined) utimesSync(location, time / 1000, time / 1000)
  })
}

/**
 * Makes the folders from `top` down to `folder`. Replaces a link above a file by a folder, because the link would lead
 * the write out of `top`.
 */
export function makeFolders(top: string, folder: string): void {
  if (folder === top) return
  makeFolders(top, dirname(folder))
  if (isRealFolder(folder)) return
  removeInMadeSync(folder)
  asOwner(folder, () => mkdirSync(folder))
}

/** Does not look behind links, because their targets are outside of `top`. */
export function removeInside(top: string, location: string): void {
  for (let folder = dirname(location); folder !== top; folder = dirname(folder)) {
    if (!isRealFolder(folder)) return
  }
  removeInMadeSync(location)
}

function isRealFolder(location: string): boolean {
  return lookAsOwner(location)?.isDirectory() === true
}
