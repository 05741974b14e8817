import { randomUUID } from 'node:crypto'
import { chmodSync, constants, lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { copyFile, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ApplyStep, DiskApplyError } from '#core/ports/disk-apply.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { isLarge, type LargeNode } from '#shared/model/tree-node.ts'
import { nameOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiskRoot } from './disk-root.ts'
import { inspect, openFolder } from './inspect-target.ts'
import { codeOf } from './open-verified.ts'
import type { ApplyPlan } from './plan-apply.ts'
import { ifThere } from './write-target.ts'

/**
 * Where a large content is: a path of the project, or a name in the folder of kept files. Only a path starts with a
 * slash.
 */
export type LargePlace = string

/**
 * A large content on its way, which is never copied where a rename can do it: from one path to another, from a path that
 * is deleted to the kept files, or back.
 */
export interface LargeMove {
  readonly blob: BlobHash
  /** In bytes. */
  readonly size: number
  readonly from: LargePlace
  /** Beside `to`, where the content waits until the old paths are gone. Null on the way to the kept files. */
  readonly temporary: VirtualPath | null
  readonly to: LargePlace
}

/** A large content that stays where it is and is needed at another path too. */
export interface LargeCopy {
  readonly from: LargePlace
  readonly temporary: VirtualPath
}

export interface LargePlan {
  readonly moves: readonly LargeMove[]
  readonly copies: readonly LargeCopy[]
}

/**
 * The folder beside the records that holds the large files that applies deleted, so that an undo can bring them back.
 * The store of contents holds all others.
 */
export function keptFolderOf(recordFolder: string): string {
  return join(dirname(recordFolder), 'kept-files')
}

/** The hash in the name of a kept file. */
export function hashOfKept(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

export function isPath(place: LargePlace): place is VirtualPath {
  return place.startsWith('/')
}

/**
 * Finds where every large content of an apply comes from and where it goes. Throws `DiskApplyError` when one is nowhere:
 * the file on disk was changed or removed.
 */
export function planLarge(
  root: DiskRoot,
  kept: string,
  steps: readonly ApplyStep[],
  { placements }: Pick<ApplyPlan, 'placements'>,
): LargePlan {
  const leaving = new Map(steps.flatMap(({ path, before }) => (isLarge(before) ? [[path, before] as const] : [])))
  const stored = leaving.size === 0 && !steps.some(({ after }) => isLarge(after)) ? [] : keptNames(kept)
  const free = new Set(stored)
  const moves: LargeMove[] = []
  const copies: LargeCopy[] = []
  const goals = placements.flatMap(({ step: { path, after }, temporary }) =>
    isLarge(after) && temporary ? [{ path, node: after, temporary }] : [],
  )
  /** A file that only changes its mode keeps its own content. */
  for (const { path, node, temporary } of goals.toSorted((a, b) => staysAt(b, leaving) - staysAt(a, leaving))) {
    const { blob, size } = node
    const own = leaving.get(path)?.blob === blob ? path : undefined
    const source = own ?? [...leaving].find(([, before]) => before.blob === blob)?.[0]
    const from = source ?? [...free].find((name) => hashOfKept(name) === blob)
    if (from !== undefined) {
      moves.push({ blob, size, from, temporary, to: path })
      if (source) leaving.delete(source)
      else free.delete(from)
      continue
    }
    const place = stillAt(root, node, moves)
    if (place === undefined) throw new DiskApplyError('changed', `${path}: ${gone(node)} Nothing was written.`)
    copies.push({ from: place, temporary })
  }
  for (const [from, { blob, size }] of leaving)
    moves.push({ blob, size, from, temporary: null, to: `${blob}.${randomUUID()}` })
  return { moves, copies }
}

function staysAt(
  { path, node }: { readonly path: VirtualPath; readonly node: { readonly blob: BlobHash } },
  leaving: ReadonlyMap<VirtualPath, { readonly blob: BlobHash }>,
): number {
  return leaving.get(path)?.blob === node.blob ? 1 : 0
}

/** A place that has the content before the apply begins: the source of another copy, or the path where it was. */
function stillAt(
  root: DiskRoot,
  { blob, size, large }: LargeNode,
  moves: readonly LargeMove[],
): LargePlace | undefined {
  const other = moves.find((move) => move.blob === blob)?.from
  if (other !== undefined) return other
  const seen = inspect(root, large.path)
  return seen.kind === 'file' && seen.stats.size === size ? large.path : undefined
}

function gone({ large, size }: LargeNode): string {
  return `Its ${size} bytes are too many to be stored, and the file on disk at ${large.path} has changed or is gone.`
}

function keptNames(kept: string): readonly string[] {
  try {
    return readdirSync(kept)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Opened places of large contents, by which they are moved. */
export interface LargeFiles {
  isThere(place: LargePlace): boolean
  /** Renames. Copies through `part` where a rename cannot reach; the old file goes when the new one is durable. */
  move(from: LargePlace, to: LargePlace, part: LargePlace): Promise<void>
  /** Copies, sharing blocks where the disk can. Durable when it resolves. */
  copy(from: LargePlace, to: LargePlace): Promise<void>
  /** The mode's permission bits. */
  modeOf(place: LargePlace): number
  setMode(place: LargePlace, mode: number): void
  /** Does nothing when nothing is there. */
  remove(place: LargePlace): void
  /** Makes moves to and from the kept files survive power loss. */
  sync(): Promise<void>
}

export function openLargeFiles(root: DiskRoot, kept: string): LargeFiles {
  /** Runs with the place's path on disk. A folder of the project is opened and checked first. */
  function at<Value>(place: LargePlace, act: (location: string) => Value): Value {
    if (!isPath(place)) {
      mkdirSync(kept, { recursive: true, mode: 0o700 })
      return act(join(kept, place))
    }
    const opened = openFolder(root, parentOf(place))
    if (typeof opened === 'string')
      throw Object.assign(new Error(`The folder of ${place} is not a folder any more (${opened}).`), { code: 'ENOENT' })
    using folder = opened
    return act(`${folder.directory}/${nameOf(place)}`)
  }
  /** Like `at`, with the folder kept open until the work has ended. */
  async function during<Value>(place: LargePlace, act: (location: string) => Promise<Value>): Promise<Value> {
    if (!isPath(place)) return await at(place, act)
    const opened = openFolder(root, parentOf(place))
    if (typeof opened === 'string')
      throw Object.assign(new Error(`The folder of ${place} is not a folder any more (${opened}).`), { code: 'ENOENT' })
    using folder = opened
    return await act(`${folder.directory}/${nameOf(place)}`)
  }
  const remove = (place: LargePlace) => ifThere(() => at(place, (location) => unlinkSync(location)))
  const copy = (from: LargePlace, to: LargePlace) =>
    during(from, (source) => during(to, (target) => copyDurably(source, target)))
  return {
    isThere(place) {
      try {
        return at(place, (location) => lstatSync(location, { throwIfNoEntry: false })?.isFile() === true)
      } catch (error) {
        if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false
        throw error
      }
    },
    async move(from, to, part) {
      try {
        return await during(from, (source) => during(to, (target) => rename(source, target)))
      } catch (error) {
        if (codeOf(error) !== 'EXDEV') throw error
      }
      remove(part)
      await copy(from, part)
      if (part !== to) await during(part, (source) => during(to, (target) => rename(source, target)))
      remove(from)
    },
    copy,
    modeOf: (place) => at(place, (location) => lstatSync(location).mode & 0o7777),
    setMode: (place, mode) => at(place, (location) => chmodSync(location, mode)),
    remove,
    async sync() {
      await using folder = await open(kept).catch(() => null)
      await folder?.sync().catch(() => undefined)
    },
  }
}

async function copyDurably(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
  await using file = await open(target, 'r+')
  await file.sync()
}
