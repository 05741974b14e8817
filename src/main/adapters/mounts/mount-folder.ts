import { chmodSync, lstatSync, renameSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type BranchMount,
  BranchMountError,
  type MountCapture,
  type MountLook,
  type MountRequest,
} from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { asOwner, lookAsOwner } from '../system/as-owner.ts'
import type { CommandUser } from '../system/command-user.ts'
import { lookAt } from '../system/look-at.ts'
import { removeInMade } from '../system/made-folders.ts'
import type { Enterable } from './namespace.ts'

/** Makes a private folder with the given parts. On a failure nothing of it stays. */
export async function makeParts<Name extends string>(
  folder: string,
  names: readonly Name[],
): Promise<Readonly<Record<Name, string>>> {
  const parts = names.map((name) => [name, join(folder, name)] as const)
  for (const [, part] of parts) await ensureFolder(part)
  return Object.fromEntries(parts) as Record<Name, string>
}

/** Makes the folder again if a command without a sandbox removed it. */
export async function ensureFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
}

export async function emptyFolder(folder: string): Promise<void> {
  await removeInMade(folder)
  await mkdir(folder, { mode: 0o700 })
}

/** Lets the folder of a mount, or its topmost layer, have the permissions of the project's. Their owner may always write to it. */
export function showModeOf(rootFolder: string | null, folder: string): void {
  const stats = rootFolder === null ? undefined : lookAt(rootFolder)
  if (stats) chmodSync(folder, (stats.mode & 0o7777) | 0o700)
}

/** Throws `BranchMountError` when somebody removed the folder that programs of a mount wrote to. */
export function requireWritten(folder: string): void {
  if (lookAsOwner(folder)?.isDirectory()) return
  throw new BranchMountError(
    'failed',
    `Somebody removed ${folder} while programs were at work in it, so nobody knows what they did. Nothing of it is kept. Run it again.`,
  )
}

/** Only who may write a folder may move it to another one, which root always may. */
export function moveEntry(from: string, to: string): void {
  const stats = asOwner(from, () => lstatSync(from))
  asOwner(from, () => renameSync(from, to))
  if (stats.isDirectory() && lstatSync(to).mode !== stats.mode) chmodSync(to, stats.mode & 0o7777)
}

/** Hears of a layer before it is on the disk, so that nothing removes it while its mount is open. */
export type HoldLayer = (id: LayerId) => void

/** Opens the mounts of one owner, one at a time. */
export interface OwnerMounts {
  /**
   * Programs in the mount may only read the `sealed` folders. Where the system cannot seal a folder, they may write. `hold`
   * hears of each layer that the mount makes: one that replaces a layer that no longer fits, or one of its capture.
   */
  open(
    request: Pick<MountRequest, 'overlay' | 'environment' | 'hiddenFiles' | 'folders' | 'takesUp'>,
    signal: AbortSignal,
    sealed: readonly string[],
    hold: HoldLayer,
  ): Promise<OpenMount>
}

export type OpenMount = Omit<
  BranchMount,
  typeof Symbol.asyncDispose | 'places' | 'leftOut' | 'enter' | 'look' | 'capture' | 'dropCaptured'
> & {
  /** As whom a sandbox runs what is in it. */
  readonly user: CommandUser
  /** As it is now. */
  enterable(): Enterable
  /** What programs changed in the project's files so far, sorted by path. Null where that cannot be read safely. */
  look(): Promise<Pick<MountLook, 'changes' | 'notKept'> | null>
  /** Captures the project's files. */
  capture(keeps?: boolean): Promise<Omit<MountCapture, 'placeChanges'>>
  /** Closes the mount. Changes that were not captured are lost. */
  close(): Promise<void>
}
