import type { MountChange, NotKept } from '#core/ports/branch-mounts.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { MountBase } from './mount-base.ts'

/** A patch must fit in memory, so more than this does not belong in one. */
export interface PatchLimits {
  readonly bytes: number
  readonly files: number
}

const patchLimits: PatchLimits = { bytes: 256 * 1024 * 1024, files: 50_000 }
/** How far the limits may be passed before the largest files are let go of. */
const slack = 1.25

/** The changes of a command that one patch can hold. */
export interface TakenChanges {
  add(change: MountChange): void
  /** Everything that was added and not let go of yet, in no order. */
  seen(): readonly MountChange[]
  leaveOut(notKept: NotKept): void
  /** Everything that was added, except the largest files where there are too many, and what was left out. */
  finish(base: MountBase): { readonly changes: readonly MountChange[]; readonly notKept: readonly NotKept[] }
}

type FileChange = Extract<MountChange, { kind: 'file' }>

/** Smaller files go first into a patch, so that as many as possible are in it. The other kinds of changes need no room. */
export function takeChanges({ bytes: mostBytes, files: mostFiles }: PatchLimits = patchLimits): TakenChanges {
  const others: MountChange[] = []
  const notKept: NotKept[] = []
  let files: FileChange[] = []
  let bytes = 0
  const cut = (): void => {
    files.sort((a, b) => a.bytes.length - b.bytes.length)
    let [room, fit] = [mostBytes, 0]
    for (const { bytes } of files.slice(0, mostFiles)) {
      room -= bytes.length
      if (room < 0) break
      fit += 1
    }
    for (const { path, bytes } of files.slice(fit)) notKept.push({ path, size: bytes.length, why: 'too_much' })
    files = files.slice(0, fit)
    bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
  }
  return {
    add(change) {
      if (change.kind !== 'file') return void others.push(change)
      files.push(change)
      bytes += change.bytes.length
      if (bytes > mostBytes * slack || files.length > mostFiles * slack) cut()
    },
    seen: () => [...others, ...files],
    leaveOut: (one) => void notKept.push(one),
    finish(base) {
      cut()
      const taken = [...others, ...files]
      const onlyCopies = new Set(onlyCopiesAt(taken, notKept, base))
      for (const path of onlyCopies) notKept.push({ path, size: 0, why: 'only_copy' })
      return { changes: taken.filter(({ path }) => !onlyCopies.has(path)), notKept }
    },
  }
}

/** Removed and replaced paths whose content may now be in a file that was left out: it would be lost with both. */
export function onlyCopiesAt(
  taken: readonly MountChange[],
  notKept: readonly NotKept[],
  base: MountBase,
): readonly VirtualPath[] {
  const sizes = new Set(notKept.map(({ size }) => size).filter((size) => size > 0))
  if (sizes.size === 0) return []
  const removed = taken.filter(({ kind }) => kind !== 'directory' && kind !== 'large').map(({ path }) => path)
  return removed.filter((path) => holdsFile(base, path, sizes))
}

/** True for a path at or below which the mount showed a file of such a size. A file of the branch has a size on reading. */
function holdsFile(base: MountBase, path: VirtualPath, sizes: ReadonlySet<number>): boolean {
  const node = base.at(path)
  if (node?.kind === 'file') return sizes.has(node.size ?? node.read().length)
  if (node?.kind !== 'directory') return false
  for (const name of base.names(path)) if (holdsFile(base, joinPath(path, name), sizes)) return true
  return false
}
