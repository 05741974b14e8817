import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MountChange, NotKept } from '#core/ports/branch-mounts.ts'
import { ancestorsOf, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAt, namesIn } from '../system/look-at.ts'
import type { OverlayPaths } from './overlay-paths.ts'

export interface Beside {
  readonly rootFolder: string | null
  /** What the branch changed before: there the disk does not show. */
  readonly overlay: OverlayPaths
  /** When the mount was opened, in milliseconds since the Unix epoch by the clock of the disk. */
  readonly at: number
  /**
   * When programs wrote what is at a path, in the same way. What the person saves later they never saw, and would be taken back by
   * what they wrote. Undefined where programs saw nothing that was saved after the mount was opened.
   */
  readonly writtenAt: (path: VirtualPath) => number | undefined
}

/**
 * Takes out the changes of files that a person saved meanwhile, after programs had read them. The person's version stays: as a
 * change, the older one would count as made from the newer, and an apply would take the person's work back without a word.
 */
export function splitBesidePerson(
  changes: readonly MountChange[],
  beside: Beside,
): { readonly changes: readonly MountChange[]; readonly lost: readonly MountChange[] } {
  const isLost = ({ path }: MountChange) => isNewer(path, beside)
  const parts = changes.flatMap((change) => (change.kind === 'absent' ? partsOf(change, beside) : [change]))
  return { changes: parts.filter((change) => !isLost(change)), lost: parts.filter(isLost) }
}

function isNewer(path: VirtualPath, { rootFolder, overlay, at, writtenAt }: Beside): boolean {
  if (rootFolder === null || [path, ...ancestorsOf(path)].some((one) => overlay.has(one))) return false
  const stats = lookAt(join(rootFolder, path))
  return stats !== undefined && !stats.isDirectory() && stats.ctimeMs > Math.max(at, writtenAt(path) ?? at)
}

/** A folder that was removed, in as many parts as it takes to leave out what the person saved in it meanwhile. */
function partsOf(change: Extract<MountChange, { kind: 'absent' }>, beside: Beside): readonly MountChange[] {
  const { rootFolder } = beside
  const folder = rootFolder === null ? undefined : join(rootFolder, change.path)
  if (folder === undefined || lookAt(folder)?.isDirectory() !== true) return [change]
  const own = { ...beside, writtenAt: () => beside.writtenAt(change.path) }
  const parts = namesIn(folder).map((name) => ({ kind: 'absent', path: joinPath(change.path, name) }) as const)
  const below = parts.map((part) => partsOf(part, own))
  const isWhole = parts.every((part, index) => below[index]?.length === 1 && below[index][0] === part)
  return isWhole && !parts.some(({ path }) => isNewer(path, own)) ? [change] : below.flat()
}

/**
 * Writes what programs had at these paths into a folder in the home of commands, where each keeps its path, and says so. Without room
 * for it nothing is written: the user's version is the one that counts.
 */
export function keepLost(lost: readonly MountChange[], home: string, number: number): readonly NotKept[] {
  return lost.map((change) => {
    const [{ path }, below] = [change, `kept/${number}${change.path}`]
    const isKept = hasKept(change, join(home, below))
    return { path, size: 0, why: 'beside', keptAs: isKept ? `~/${below}` : null }
  })
}

function hasKept(change: MountChange, place: string): boolean {
  if (change.kind !== 'file' && change.kind !== 'symlink') return false
  try {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
    if (change.kind === 'symlink') symlinkSync(change.target, place)
    else writeFileSync(place, change.bytes, { flag: 'wx', mode: change.mode ?? (change.executable ? 0o755 : 0o644) })
    return true
  } catch {
    return false
  }
}
