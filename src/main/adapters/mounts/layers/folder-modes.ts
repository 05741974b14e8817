import type { MountChange } from '#core/ports/branch-mounts.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { systemProgram } from '../../system/system-programs.ts'
import type { MountBase } from '../mount-base.ts'
import { runInside } from '../namespace.ts'

/**
 * The permissions that programs gave to a folder of the project, so that later views show them. No patch has them, because git
 * stores none of a folder.
 */
export interface FolderMode {
  readonly path: VirtualPath
  /** Permission bits. Null for a folder that is gone: one that is made again has the usual ones. */
  readonly mode: number | null
  /** Those of the folder on disk then. Null where the disk had no such folder. A person who changed them since is right. */
  readonly was: number | null
}

type LayerOfModes = { readonly modes?: readonly FolderMode[] }

/** What the newest layer that knows a folder says of it. */
export function joinModes(layers: readonly LayerOfModes[]): readonly FolderMode[] {
  return [...new Map(layers.flatMap(({ modes = [] }) => modes.map((one) => [one.path, one] as const))).values()]
}

/** The permissions that a view shows for folders in place of the usual ones. What is in a folder comes before it. */
export function shownModes(layers: readonly LayerOfModes[], base: MountBase): ReadonlyMap<VirtualPath, number> {
  const shown = joinModes(layers).flatMap(({ path, mode, was }) =>
    mode !== null && base.at(path)?.kind === 'directory' && base.folderModeOnDisk(path) === was
      ? [[path, mode] as const]
      : [],
  )
  return new Map(shown.sort(([a], [b]) => b.length - a.length))
}

/** How a folder differs from what the view showed. Null for one that does not. */
export function changedMode(
  path: VirtualPath,
  bits: number,
  base: MountBase,
  shown: ReadonlyMap<VirtualPath, number>,
): FolderMode | null {
  const before = shown.get(path)
  const isSame = before === undefined ? !base.hasOtherFolderMode(path, bits) : ((bits ^ before) & 0o1777) === 0
  return isSame ? null : { path, mode: bits & 0o3777, was: base.folderModeOnDisk(path) }
}

/** What a layer must say of folders that are gone, by this command or already before it. */
export function goneModes(
  layers: readonly LayerOfModes[],
  base: MountBase,
  changes: readonly MountChange[],
): readonly FolderMode[] {
  const removed = changes.flatMap(({ kind, path }) => (kind === 'directory' ? [] : [path]))
  return joinModes(layers).flatMap(({ path, mode }) => {
    const isGone = base.at(path)?.kind !== 'directory' || removed.some((one) => isWithin(path, one))
    return mode !== null && isGone ? [{ path, mode: null, was: null }] : []
  })
}

/** The kernel copies a folder up with all that it has, and the folders above it. Five digits say of each bit what it is to be. */
const modesScript = `while IFS= read -r -d "" mode && IFS= read -r -d "" p; do
  if [ -d "$p" ] && ! [ -L "$p" ]; then chmod "$mode" -- "$p"; fi
done`

/** Gives folders of a mount these permissions, before any program enters it. */
export async function showModes(
  modes: ReadonlyMap<VirtualPath, number>,
  enter: (program: readonly string[]) => readonly string[],
): Promise<void> {
  const input = Buffer.from(
    [...modes].map(([path, mode]) => `${mode.toString(8).padStart(5, '0')}\0.${path}\0`).join(''),
  )
  await runInside(enter([systemProgram('bash'), '--norc', '-c', modesScript]), { input })
}
