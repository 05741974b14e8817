import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, constants, lstatSync, mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { copyFile, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ApplyStep, DiskApplyError } from '#core/ports/disk-apply.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { isLarge, type LargeNode } from '#shared/model/tree-node.ts'
import { nameOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { hashFile, stampOf } from '../system/hash-file.ts'
import { type DiskRoot, readFlags } from './disk-root.ts'
import { openFolder } from './inspect-target.ts'
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

/** The start of the name of a file that is kept for the undo at this path. */
function keptFor(blob: BlobHash, path: VirtualPath): string {
  return `${blob}.${createHash('sha256').update(path).digest('hex').slice(0, 16)}.`
}

/** The hash in the name of a kept file. Others may have changed the content since. */
export function hashOfKept(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

export function isPath(place: LargePlace): place is VirtualPath {
  return place.startsWith('/')
}

/**
 * Finds where every large content of an apply comes from and where it goes. A kept file is read, because a program may
 * have written to it, and only its own undo takes it away. Throws `DiskApplyError` when a content is nowhere: the file
 * was changed or removed.
 */
export async function planLarge(
  files: LargeFiles,
  steps: readonly ApplyStep[],
  { placements }: Pick<ApplyPlan, 'placements'>,
  signal?: AbortSignal,
): Promise<LargePlan> {
  const leaving = new Map(steps.flatMap(({ path, before }) => (isLarge(before) ? [[path, before] as const] : [])))
  const goals = placements.flatMap(({ step: { path, after }, temporary }) =>
    isLarge(after) && temporary ? [{ path, node: after, temporary }] : [],
  )
  const free = new Set(goals.length === 0 ? [] : files.keptNames())
  const moves: LargeMove[] = []
  const copies: LargeCopy[] = []
  const findWhole = async (places: Iterable<LargePlace>, blob: BlobHash) => {
    for (const place of places) if ((await files.hash(place, signal)) === blob) return place
    return undefined
  }
  /** A file that only changes its mode keeps its own content. */
  for (const { path, node, temporary } of goals.toSorted((a, b) => staysAt(b, leaving) - staysAt(a, leaving))) {
    const { blob, size } = node
    const own = leaving.get(path)?.blob === blob ? path : undefined
    const source = own ?? [...leaving].find(([, before]) => before.blob === blob)?.[0]
    const kept = [...free].filter((name) => hashOfKept(name) === blob)
    const ownKept = kept.filter((name) => name.startsWith(keptFor(blob, path)))
    const from = source ?? (await findWhole(ownKept, blob))
    if (from !== undefined) {
      moves.push({ blob, size, from, temporary, to: path })
      if (source) leaving.delete(source)
      else free.delete(from)
      continue
    }
    const shared = moves.find((move) => move.blob === blob)?.from
    const place = shared ?? (await findWhole([node.large.path, ...kept], blob))
    if (place === undefined) {
      const why = kept.length > 0 ? keptChanged(node) : gone(files, node)
      throw new DiskApplyError('changed', `${path}: ${why} Nothing was written.`)
    }
    copies.push({ from: place, temporary })
  }
  for (const [from, { blob, size }] of leaving)
    moves.push({ blob, size, from, temporary: null, to: `${keptFor(blob, from)}${randomUUID()}` })
  return { moves, copies }
}

function staysAt(
  { path, node }: { readonly path: VirtualPath; readonly node: { readonly blob: BlobHash } },
  leaving: ReadonlyMap<VirtualPath, { readonly blob: BlobHash }>,
): number {
  return leaving.get(path)?.blob === node.blob ? 1 : 0
}

function keptChanged({ size }: LargeNode): string {
  return `Its ${size} bytes were kept when it was deleted, but another program has changed the kept file since.`
}

function gone(files: LargeFiles, { large, size }: LargeNode): string {
  return files.isThere(large.path)
    ? `The file on disk at ${large.path} has other content now. Its ${size} bytes are too many to be stored.`
    : `Its ${size} bytes are too many to be stored, and the file on disk at ${large.path} is gone.`
}

/** Opened places of large contents, by which they are moved. */
export interface LargeFiles {
  isThere(place: LargePlace): boolean
  /** The names of all kept files. */
  keptNames(): readonly string[]
  /** SHA-256 of the content. Undefined when no file is there, or when it changes meanwhile. Throws the signal's reason. */
  hash(place: LargePlace, signal?: AbortSignal): Promise<BlobHash | undefined>
  /**
   * Renames. Copies where a rename cannot reach, and where a kept file would have another name through which others can
   * write to it. The copy is made at `part`, so that no half of a file is ever at `to`. The old file goes when the new
   * one is durable. Throws when it changes meanwhile.
   */
  move(from: LargePlace, to: LargePlace, part?: LargePlace): Promise<void>
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
  const put = (from: LargePlace, to: LargePlace) =>
    during(from, (source) => during(to, (target) => rename(source, target)))
  const stats = (place: LargePlace) => at(place, (location) => lstatSync(location, { bigint: true }))
  const isThere = (place: LargePlace) =>
    ifFound(() => at(place, (location) => lstatSync(location, { throwIfNoEntry: false })?.isFile())) === true
  return {
    isThere,
    keptNames: () => (ifFound(() => readdirSync(kept)) ?? []).filter((name) => !name.endsWith(partEnding)),
    async hash(place, signal) {
      if (!isThere(place)) return undefined
      return await during(place, async (location) => {
        await using file = await open(location, readFlags)
        return (await hashFile(file.fd, signal))?.blob
      })
    },
    async move(from, to, part = partOf(to)) {
      try {
        if (isPath(to) || stats(from).nlink === 1n) return await put(from, to)
      } catch (error) {
        if (codeOf(error) !== 'EXDEV') throw error
      }
      remove(part)
      const before = stampOf(stats(from))
      await copy(from, part)
      if (stampOf(stats(from)) !== before) throw new Error('It changed on disk while it was copied')
      await put(part, to)
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

/** Where a copy is made. */
export function partOf(place: LargePlace): LargePlace {
  return `${place}${partEnding}`
}

const partEnding = '.part'

/** Undefined when it is not there. */
function ifFound<Value>(act: () => Value): Value | undefined {
  try {
    return act()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
