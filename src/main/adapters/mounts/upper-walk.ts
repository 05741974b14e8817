import { isUtf8 } from 'node:buffer'
import { readdirSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { MountChange } from '#core/ports/branch-mounts.ts'
import { type FilePermissions, samePermissions } from '#shared/model/tree-node.ts'
import { ancestorsOf, isWithin, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import type { LeftLarge } from './large-files.ts'
import { changedMode, type FolderMode } from './layers/folder-modes.ts'
import { namesInLayers, type ShownLayer } from './layers/shown-in-layers.ts'
import { type BaseNode, type MountBase, readRegular } from './mount-base.ts'
import type { MountRules } from './mount-rules.ts'
import { type TakenChanges, takeChanges } from './taken-changes.ts'
import { pathBelow, type WrittenFiles } from './written-files.ts'

/** The changes of commands in the upper layer of an overlay mount. */
export interface UpperWalk {
  readonly taken: TakenChanges
  /** Files over the limit. Only their names are known yet. */
  readonly large: readonly LeftLarge[]
  /** The topmost ignored paths. They stay in the layer. */
  readonly units: readonly VirtualPath[]
  /** Folders that were removed, of which something is ignored. Only the project's files in them count as removed. */
  readonly emptied: readonly VirtualPath[]
  /** The topmost ignored paths in them. */
  readonly hidden: readonly VirtualPath[]
  /** Folders that the base or a layer has too. Each may be opaque, which only the mount can show. */
  readonly shared: readonly VirtualPath[]
  /** Folders whose permissions are others than the view showed. */
  readonly modes: readonly FolderMode[]
}

export interface UpperWalkInput {
  readonly written: WrittenFiles
  /** The folder that programs saw, to recognise links they made to it. */
  readonly files: string
  /** Its path leads programs to the same folder. Null for a project without one. */
  readonly rootFolder: string | null
  readonly base: MountBase
  readonly rules: MountRules
  /** The most bytes of one file. */
  readonly mostBytes: number
  /** Those below it, the oldest first. */
  readonly layers: readonly ShownLayer[]
  /** True where the layers below have a folder. */
  readonly wasFolder: (path: VirtualPath) => boolean
  /** Permissions of folders that the view showed in place of the usual ones. */
  readonly shownModes: ReadonlyMap<VirtualPath, number>
}

/** Walks the upper layer without following links. The cost depends on the changes, not on the project's size. */
export async function walkUpper(input: UpperWalkInput): Promise<UpperWalk> {
  const found = {
    taken: takeChanges(),
    large: [] as LeftLarge[],
    units: [] as VirtualPath[],
    shared: [] as VirtualPath[],
    emptied: [] as VirtualPath[],
    hidden: [] as VirtualPath[],
    modes: [] as FolderMode[],
  }
  const replaced: VirtualPath[] = []
  const pace = createPace()
  const folders: VirtualPath[] = [rootPath]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of input.written.names(folder)) {
      const named = pathBelow(folder, name)
      if ('not' in named) {
        found.taken.leaveOut(named.not)
        continue
      }
      const { path } = named
      const stats = input.written.look(path)
      const seen = stats && input.written.at(path, (at) => lookAt(input, path, stats, at))
      if (seen === 'special') found.taken.leaveOut({ path, size: 0, why: 'special' })
      else if (seen === 'unnamed') found.taken.leaveOut({ path, size: 0, why: 'name' })
      else if (seen === 'unit') found.units.push(path)
      else if (seen === 'shared' || (seen === 'folder' && input.wasFolder(path))) found.shared.push(path)
      else if (typeof seen === 'object' && 'location' in seen) found.large.push(seen)
      else if (typeof seen === 'object' && seen.kind === 'absent') {
        const removed = removalOf(path, input)
        for (const change of removed.changes) found.taken.add(change)
        if (removed.hidden.length > 0) found.emptied.push(path)
        found.hidden.push(...removed.hidden)
      } else if (typeof seen === 'object') found.taken.add(seen)
      if (stats?.isDirectory() && seen !== 'unit') {
        const mode = changedMode(path, stats.mode, input.base, input.shownModes)
        if (mode) found.modes.push(mode)
        if (mode && input.base.hasOtherFolderMode(path, stats.mode))
          found.taken.leaveOut({ path, size: 0, why: 'folder_mode' })
      }
      if (seen === 'shared' || seen === 'folder') folders.push(path)
      if (seen === 'folder' && input.base.at(path)) replaced.push(path)
      await pace()
    }
  }
  if (replaced.length > 0) {
    const files = [...found.taken.seen().filter(({ kind }) => kind !== 'directory'), ...found.large]
    const changed = files.map(({ path }) => path)
    for (const path of removedByFolders(replaced, changed)) found.taken.add({ kind: 'absent', path })
  }
  return found
}

/**
 * What the removal of a path is to the branch. Of a folder that holds ignored files, only the project's own files are
 * removed: the ignored ones are the person's, or left by commands, and are hidden in views alone.
 */
export function removalOf(
  path: VirtualPath,
  { base, rules, layers }: Pick<UpperWalkInput, 'base' | 'rules' | 'layers'>,
): { readonly changes: readonly MountChange[]; readonly hidden: readonly VirtualPath[] } {
  const whole = { changes: [{ kind: 'absent', path } as const], hidden: [] }
  if (base.at(path)?.kind !== 'directory') return whole
  const parts = [...new Set([...base.names(path), ...namesInLayers(layers, path)])].map((name) => {
    const below = joinPath(path, name)
    const isFolder = base.at(below)?.kind === 'directory' || namesInLayers(layers, below).length > 0
    if (rules.isLeftOut(below, isFolder)) return { changes: [], hidden: [below] }
    return removalOf(below, { base, rules, layers })
  })
  const hidden = parts.flatMap((part) => part.hidden)
  return hidden.length === 0 ? whole : { changes: parts.flatMap(({ changes }) => changes), hidden }
}

/**
 * Those of the paths, where folders took the place of files, that no file below says anything of: all in it is left out, or it
 * holds folders alone.
 */
export function removedByFolders(
  folders: readonly VirtualPath[],
  changed: readonly VirtualPath[],
): readonly VirtualPath[] {
  const filled = new Set(changed.flatMap(ancestorsOf))
  return folders.filter((path) => !filled.has(path))
}

type Seen = MountChange | LeftLarge | 'unit' | 'special' | 'unnamed' | 'shared' | 'folder' | undefined

function lookAt(
  { files, rootFolder, base, rules, mostBytes, wasFolder }: UpperWalkInput,
  path: VirtualPath,
  stats: Stats,
  location: string,
): Seen {
  const before = base.at(path)
  if (rules.isLeftOut(path, stats.isDirectory() || (isWhiteout(stats) && wasFolder(path)))) return 'unit'
  if (isWhiteout(stats)) return before && { kind: 'absent', path }
  if (stats.isDirectory()) {
    if (before?.kind === 'directory') return 'shared'
    return readdirSync(location).length === 0 ? { kind: 'directory', path } : 'folder'
  }
  if (stats.isSymbolicLink()) {
    const bytes = readlinkSync(location, 'buffer')
    const raw = bytes.toString()
    const target = linkTarget([files, rootFolder], path, raw)
    const isSame = before?.kind === 'symlink' && (before.target === raw || before.target === target)
    if (isSame) return undefined
    return isUtf8(bytes) ? { kind: 'symlink', path, target } : 'unnamed'
  }
  if (!stats.isFile()) return 'special'
  const permissions = base.permissionsOf(path, stats.mode)
  if (stats.size > mostBytes) return { path, location, size: stats.size, ...permissions }
  const bytes = readRegular(location)
  return isSame(before, bytes, permissions) ? undefined : { kind: 'file', path, bytes, ...permissions }
}

function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0
}

function isSame(before: BaseNode | undefined, bytes: Uint8Array, permissions: FilePermissions): boolean {
  if (before?.kind !== 'file' || !samePermissions(before, permissions)) return false
  if (before.size !== null && before.size !== bytes.length) return false
  try {
    return Buffer.compare(before.read(), bytes) === 0
  } catch {
    // The project's own file is closed to this user, so its content is not known.
    return false
  }
}

/**
 * Makes a link into the command's own folder relative, because the folder will be gone later. Commands know it by its own
 * path and by that of the project.
 */
function linkTarget(folders: readonly (string | null)[], path: VirtualPath, target: string): string {
  if (!isAbsolute(target)) return target
  const folder = folders.find((one) => one !== null && isWithin(target as VirtualPath, one as VirtualPath))
  return folder ? relative(dirname(join(folder, path)), target) || '.' : target
}
