import type { Hashing } from '#core/ports/hashing.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import { joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import {
  DamagedOriginalError,
  findRecords,
  inodeOf,
  type Original,
  type RecordedStep,
  type StoredRecord,
  setAside,
} from './apply-record.ts'
import { hashAt } from './check-step.ts'
import { type DiskRoot, openDiskRoot } from './disk-root.ts'
import { inspect } from './inspect-target.ts'
import { syncFolders } from './kept-folders.ts'
import { isPath, keptFolderOf, type LargeFiles, type LargeMove, openLargeFiles, partOf } from './large-files.ts'
import { isExecutable } from './node-at.ts'
import { codeOf } from './open-verified.ts'
import {
  foldersAbove,
  ifThere,
  MovedFolderError,
  makeFolder,
  makeLink,
  removeEmptyFolder,
  removeFile,
  replace,
  writeTemporary,
} from './write-target.ts'

export interface RecoveredApply {
  /**
   * `completed`: every path holds the new content. `rolled_back`: every path except those in `left` holds the old one.
   */
  readonly outcome: 'completed' | 'rolled_back'
  readonly paths: readonly VirtualPath[]
  /** Paths that someone else has changed since, which were not touched, and those of `failed`. */
  readonly left: readonly VirtualPath[]
  /** Not empty while the record stays. */
  readonly failed: readonly Refusal[]
}

/**
 * Ends every apply that a crash or a failing disk interrupted: with the new content when all renames were done, else
 * with the old. A record stays, with its originals, while the disk refuses to take something back. A damaged record is
 * set aside with its originals, and so is the record of another folder that had this name. `onAside` gets the new place
 * and the reason.
 */
export async function recoverApply(options: {
  readonly rootFolder: string
  readonly recordFolder: string
  readonly hashing: Hashing
  readonly onAside?: (folder: string, why: string) => void
  /** True when a person was told that the applies failed. Then even one that arrived is taken back. */
  readonly mustRollBack?: boolean
}): Promise<readonly RecoveredApply[]> {
  const outcomes: RecoveredApply[] = []
  const onAside = options.onAside ?? (() => {})
  for (const stored of await findRecords(options.recordFolder, onAside)) {
    const { root: place, rootInode } = stored.record
    const isOther = place === options.rootFolder && rootInode !== undefined && rootInode !== inodeOf(place)
    if (isOther) {
      onAside(await setAside(stored.folder), 'belongs to another folder that was here before')
      continue
    }
    const root = openDiskRoot(options.rootFolder)
    const files = openLargeFiles(root, keptFolderOf(options.recordFolder))
    const paths = stored.record.steps.map((step) => step.path)
    const states = await lookAtAll(root, options.hashing, stored.record.steps)
    const isDone = !options.mustRollBack && states.every(({ state }) => state === 'after' || state === 'same')
    const { foreign, failed, damaged } = isDone ? nothingLeft : await restore(root, options.hashing, stored, files)
    if (isDone) finish(root, stored)
    await syncFolders(root, stored.record.steps, stored.record)
    if (failed.length === 0 && damaged) onAside(await setAside(stored.folder), 'holds damaged content')
    else if (failed.length === 0) await stored.remove()
    const left = [...foreign, ...failed.map(({ path }) => path)]
    outcomes.push({ outcome: isDone ? 'completed' : 'rolled_back', paths, left, failed })
  }
  return outcomes
}

/** Cleans up after an apply that did all its renames: temporary files and emptied folders may be left. */
function finish(root: DiskRoot, { record }: StoredRecord): void {
  removeTemporaries(root, record.temporary)
  for (const { path } of [...record.emptied].reverse()) removeEmptyFolder(root, path)
}

export interface Restored {
  /** Paths that someone else has changed since, or whose content they took away. They were not touched. */
  readonly foreign: readonly VirtualPath[]
  /** Paths that the disk refused to take back. Their old content is only in the record. */
  readonly failed: readonly Refusal[]
  /** True when the record lost an old content. Its path is among the foreign ones. */
  readonly damaged: boolean
}

/** An error of the disk. It may take the path back later. */
export interface Refusal {
  readonly path: VirtualPath
  readonly error: unknown
}

const nothingLeft: Restored = { foreign: [], failed: [], damaged: false }

/** Puts every path back, whatever state the interrupted apply left. */
export async function restore(
  root: DiskRoot,
  hashing: Hashing,
  stored: StoredRecord,
  files: LargeFiles,
): Promise<Restored> {
  const { record } = stored
  const failed = new Map(removeTemporaries(root, record.temporary).map(({ path, error }) => [path, error]))
  const states = await lookAtAll(root, hashing, record.steps)
  const undo = states.filter(({ state }) => state === 'after' || state === 'between').map(({ step }) => step)
  const foreign = new Set(states.filter(({ state }) => state === 'foreign').map(({ step }) => step.path))
  let damaged = false
  /** What others did does not go away by another try. An error of the disk may. */
  const attempt = async (path: VirtualPath, act: () => unknown): Promise<void> => {
    try {
      await act()
    } catch (error) {
      damaged ||= error instanceof DamagedOriginalError
      if (isOfOthers(error)) foreign.add(path)
      else failed.set(path, error)
    }
  }
  const stateOf = new Map(states.map(({ step, state }) => [step.path, state]))
  const moves = record.large ?? []
  for (const move of moves) await attempt(nearest(move), () => gather(files, move, stateOf))
  for (const step of byDepth(undo).reverse()) await attempt(step.path, () => clear(root, step))
  for (const folder of [...record.made].reverse()) await attempt(folder, () => removeEmptyFolder(root, folder))
  for (const { path, mode } of record.emptied) await attempt(path, () => makeFolder(root, path, mode))
  for (const step of byDepth(undo))
    if (!foreign.has(step.path)) await attempt(step.path, () => putBack(root, stored, step, files))
  for (const move of moves)
    if (isPath(move.from) && foreign.has(move.from)) await attempt(move.from, () => keepAside(files, move, stored))
  return { foreign: [...foreign], failed: [...failed].map(([path, error]) => ({ path, error })), damaged }
}

/** True when something was taken away or put in the way, so that the place or the content is not there any more. */
function isOfOthers(error: unknown): boolean {
  const isGone = ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')
  return isGone || [MovedFolderError, GoneContentError, DamagedOriginalError].some((kind) => error instanceof kind)
}

class GoneContentError extends Error {}

/** Makes room where the old node has another kind than the new one, or where there was nothing. */
function clear(root: DiskRoot, { path, before, after }: RecordedStep): void {
  if (after === null || before?.kind === after.kind) return
  if (after.kind === 'directory') removeEmptyFolder(root, path)
  else ifThere(() => removeFile(root, path))
}

/** A path of the project for messages. */
function nearest({ from, to }: LargeMove): VirtualPath {
  return isPath(from) ? from : (to as VirtualPath)
}

/**
 * Brings a large content to where `putBack` looks for it: beside its new path, or to the kept files. What came from the
 * kept files returns there. What is already back where it was leaves no second copy.
 */
async function gather(
  files: LargeFiles,
  { from, temporary, to }: LargeMove,
  stateOf: ReadonlyMap<VirtualPath, StepState>,
): Promise<void> {
  const place = temporary ?? to
  files.remove(partOf(place))
  const state = isPath(from) ? stateOf.get(from) : undefined
  if (isPath(from) ? state === 'before' || state === 'same' : files.isThere(from)) return files.remove(place)
  const arrived = isPath(to) && stateOf.get(to) === 'after'
  const found = files.isThere(place) ? place : arrived ? to : undefined
  if (found === undefined) throw new GoneContentError('The content is not there.')
  if (!isPath(from)) await files.move(found, from)
  else if (found !== place) await files.move(found, place)
}

/** Somebody else's file or folder is in the way of the old path now. The content is not lost. */
async function keepAside(files: LargeFiles, { blob, temporary, to }: LargeMove, { id }: StoredRecord): Promise<void> {
  const place = temporary ?? to
  if (!files.isThere(place)) return
  const isWhole = (await files.hash(place)) === blob
  await files.move(place, `${isWhole ? blob : 'changed'}.${id}`)
}

/** Puts a large file back from where it was gathered. */
async function putLargeBack(files: LargeFiles, stored: StoredRecord, { path, before }: RecordedStep): Promise<void> {
  const move = stored.record.large?.find(({ from }) => from === path)
  if (!move || before?.kind !== 'file') throw new Error('The record does not say where the content is.')
  const place = move.temporary ?? move.to
  const part = restoredName(stored, path)
  files.remove(part)
  files.setMode(place, before.mode)
  await files.move(place, path, part)
  files.setMode(path, before.mode)
}

async function putBack(root: DiskRoot, stored: StoredRecord, step: RecordedStep, files: LargeFiles): Promise<void> {
  const { path, before } = step
  if (before === null) return
  for (const folder of foldersAbove(path)) makeFolder(root, folder)
  if (before.kind === 'directory') return makeFolder(root, path, before.mode)
  if (before.kind === 'file' && before.large) return putLargeBack(files, stored, step)
  const temporary = restoredName(stored, path)
  removeFile(root, temporary)
  try {
    if (before.kind === 'symlink') makeLink(root, temporary, before.target)
    else await writeTemporary(root, temporary, await stored.original(before), before.mode, path)
    replace(root, temporary, path)
  } catch (error) {
    removeFile(root, temporary)
    throw error
  }
}

/** The same name on every try, so that a killed restore leaves nothing behind. It is unique to this apply. */
function restoredName({ id }: StoredRecord, path: VirtualPath): VirtualPath {
  return joinPath(parentOf(path), `.coppice-${id}.tmp`)
}

/** Returns what is still there, because the disk refused to remove it. */
function removeTemporaries(root: DiskRoot, paths: readonly VirtualPath[]): readonly Refusal[] {
  return paths.flatMap((path) => {
    try {
      if (inspect(root, path).kind !== 'absent') removeFile(root, path)
      return []
    } catch (error) {
      return [{ path, error }]
    }
  })
}

function byDepth(steps: readonly RecordedStep[]): RecordedStep[] {
  return [...steps].sort((a, b) => a.path.split('/').length - b.path.split('/').length)
}

/**
 * `between`: the old entry is gone and the new one is not there yet. `foreign`: someone else's content, never touched.
 */
export type StepState = 'before' | 'after' | 'same' | 'between' | 'foreign'

async function lookAtAll(root: DiskRoot, hashing: Hashing, steps: readonly RecordedStep[]) {
  const states: { readonly step: RecordedStep; readonly state: StepState }[] = []
  for (const step of steps) states.push({ step, state: await lookAt(root, hashing, step) })
  return states
}

async function lookAt(root: DiskRoot, hashing: Hashing, { path, before, after }: RecordedStep): Promise<StepState> {
  const isBefore = await holds(root, hashing, path, before)
  const isAfter = await holds(root, hashing, path, after)
  if (isBefore) return isAfter ? 'same' : 'before'
  if (isAfter) return 'after'
  const { kind } = inspect(root, path)
  return kind === 'absent' || kind === 'blocked' ? 'between' : 'foreign'
}

async function holds(root: DiskRoot, hashing: Hashing, path: VirtualPath, node: Original | TreeNode | null) {
  const seen = inspect(root, path)
  if (node === null) return seen.kind === 'absent' || (seen.kind === 'blocked' && seen.by === 'file')
  if (node.kind === 'symlink') return seen.kind === 'symlink' && seen.target === node.target
  if (node.kind === 'directory') return seen.kind === 'directory'
  if (seen.kind !== 'file' || seen.stats.size !== node.size) return false
  const executable = 'executable' in node ? node.executable : isExecutable(node.mode)
  return isExecutable(seen.stats.mode) === executable && (await hashAt(root, hashing, path, node)) === node.blob
}
