import { chmodSync, lstatSync, renameSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BranchMount, MountCapture, MountRequest } from '#core/ports/branch-mounts.ts'
import { asOwner } from '../system/as-owner.ts'
import { removeInMade } from '../system/made-folders.ts'

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

/** Only who may write a folder may move it to another one, which root always may. */
export function moveEntry(from: string, to: string): void {
  const stats = asOwner(from, () => lstatSync(from))
  asOwner(from, () => renameSync(from, to))
  if (stats.isDirectory() && lstatSync(to).mode !== stats.mode) chmodSync(to, stats.mode & 0o7777)
}

/** Opens the mounts of one owner, one at a time. */
export interface OwnerMounts {
  /** Programs in the mount may only read the `sealed` folders. Where the system cannot seal a folder, they may write. */
  open(
    request: Pick<MountRequest, 'overlay' | 'environment'>,
    signal: AbortSignal,
    sealed: readonly string[],
  ): Promise<OpenMount>
}

export type OpenMount = Omit<BranchMount, typeof Symbol.asyncDispose | 'places' | 'leftOut' | 'capture'> & {
  /** Captures the project's files. */
  capture(keeps?: boolean): Promise<Omit<MountCapture, 'placeChanges'>>
  /** Closes the mount. Changes that were not captured are lost. */
  close(): Promise<void>
}
