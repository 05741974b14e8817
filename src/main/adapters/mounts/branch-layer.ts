import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BranchMountError, type MountEntry } from '#core/ports/branch-mounts.ts'
import { ancestorsOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { asOwner, lookAsOwner } from '../system/as-owner.ts'
import { lookAt } from '../system/look-at.ts'
import { removeInMadeSync } from '../system/made-folders.ts'
import { placeLarge } from './large-files.ts'
import { removeFromLayer } from './layers/layer-folders.ts'
import { createMountBase, type MountBase } from './mount-base.ts'
import { maskLayer, runInside } from './namespace.ts'
import { differingPaths, type OverlayPaths, overlayPaths } from './overlay-paths.ts'
import { modeOf, writeNode } from './write-overlay.ts'

/** The branch's changes as a layer between the project and the commands' own layer, updated for each mount. */
export interface BranchLayer {
  /** Writes only what changed since the last call. Returns the changed paths. Throws `BranchMountError`, and the abort reason. */
  sync(overlay: readonly MountEntry[], signal: AbortSignal): Promise<readonly VirtualPath[]>
}

/** `folder` is the working folder. The layer lies in it as `branch`. */
export function createBranchLayer(folder: string, rootFolder: string | null): BranchLayer {
  let written: OverlayPaths = new Map()
  const layer = join(folder, 'branch')

  async function write(entries: readonly MountEntry[], base: MountBase, signal: AbortSignal): Promise<void> {
    const masked = entries.filter((entry) => entry.kind === 'absent' || (entry.kind === 'directory' && entry.opaque))
    if (masked.length > 0) await mask(folder, rootFolder, masked)
    const pace = createPace()
    for (const entry of entries) {
      if (entry.kind === 'large') await writeLarge(folder, rootFolder, entry, base, signal)
      else writeEntry(layer, rootFolder, entry, base)
      await pace()
    }
  }
  return {
    async sync(all, signal) {
      const base = createMountBase(all, rootFolder)
      // A mark would make a folder of what the person has in the place of the folder.
      const marks = ({ path }: MountEntry) =>
        parentOf(path) === rootPath || base.at(parentOf(path))?.kind === 'directory'
      const overlay = all.flatMap((entry): readonly MountEntry[] => {
        if (entry.kind === 'absent') return marks(entry) ? [entry] : []
        return [entry.kind === 'file' || entry.kind === 'large' ? { ...entry, mode: modeOf(entry, base) } : entry]
      })
      const wanted = overlayPaths(overlay)
      if (!lookAsOwner(layer)) {
        // Somebody removed it, and all that was written in it.
        mkdirSync(layer, { mode: 0o700 })
        written = new Map()
      }
      const changed = differingPaths(written, wanted)
      if (changed.size === 0) return []
      written = new Map()
      try {
        for (const path of changed) removeFromLayer(layer, path, (folder) => wanted.has(folder))
        await write(
          overlay.filter(({ path }) => [path, ...ancestorsOf(path)].some((one) => changed.has(one))),
          base,
          signal,
        )
      } catch (error) {
        removeInMadeSync(layer)
        mkdirSync(layer, { mode: 0o700 })
        signal.throwIfAborted()
        if (error instanceof BranchMountError) throw error
        throw new BranchMountError('failed', `The branch could not be laid out as files: ${String(error)}`)
      }
      written = wanted
      return [...changed]
    },
  }
}

/**
 * Lets the overlay file system make whiteouts and opaque folders, since only it can. It mounts a layer with an entry at
 * each of their paths and then removes those entries.
 */
async function mask(folder: string, rootFolder: string | null, entries: readonly MountEntry[]): Promise<void> {
  const mask = join(folder, 'mask')
  mkdirSync(mask)
  try {
    for (const { kind, path } of entries) {
      makeFolders(mask, rootFolder, kind === 'directory' ? join(mask, path) : dirname(join(mask, path)))
      if (kind === 'absent') asOwner(join(mask, path), () => writeFileSync(join(mask, path), ''))
    }
    const folders = entries.filter(({ kind }) => kind === 'directory')
    await writeFile(join(folder, 'remove'), listOf(entries))
    await writeFile(join(folder, 'folders'), listOf(folders))
    await runInside(maskLayer(folder))
  } finally {
    removeInMadeSync(mask)
  }
}

function listOf(entries: readonly MountEntry[]): string {
  return entries.map(({ path }) => `.${path}\0`).join('')
}

async function writeLarge(
  folder: string,
  rootFolder: string | null,
  entry: Extract<MountEntry, { kind: 'large' }>,
  base: MountBase,
  signal: AbortSignal,
): Promise<void> {
  const layer = join(folder, 'branch')
  const location = join(layer, entry.path)
  makeFolders(layer, rootFolder, dirname(location))
  await placeLarge(rootFolder, entry, modeOf(entry, base), location, join(folder, 'large'), signal)
}

function writeEntry(
  layer: string,
  rootFolder: string | null,
  entry: Exclude<MountEntry, { kind: 'large' }>,
  base: MountBase,
): void {
  if (entry.kind === 'absent') return
  const location = join(layer, entry.path)
  makeFolders(layer, rootFolder, entry.kind === 'directory' ? location : dirname(location))
  if (entry.kind !== 'directory') writeNode(location, entry, base)
}

/** Gives each folder the mode that it has in the project, because a mount shows the mode of the topmost layer. */
function makeFolders(top: string, rootFolder: string | null, folder: string): void {
  if (folder === top || lookAsOwner(folder)) return
  makeFolders(top, rootFolder, dirname(folder))
  const below = rootFolder === null ? undefined : lookAt(join(rootFolder, folder.slice(top.length)))
  asOwner(folder, () => mkdirSync(folder))
  // The mode of a new folder is limited by the person's umask, which the project's folder may be older than.
  if (below?.isDirectory()) asOwner(dirname(folder), () => chmodSync(folder, below.mode & 0o7777))
}
