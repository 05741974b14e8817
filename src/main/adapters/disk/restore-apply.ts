import type { Hashing } from '#core/ports/hashing.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import { joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { findRecords, type Original, type RecordedStep, type StoredRecord } from './apply-record.ts'
import { readWhole } from './check-step.ts'
import { type DiskRoot, openDiskRoot } from './disk-root.ts'
import { inspect } from './inspect-target.ts'
import { syncFolders } from './kept-folders.ts'
import { isExecutable } from './node-at.ts'
import {
  foldersAbove,
  ifThere,
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
  /** Paths that someone else has changed since. They were not touched. */
  readonly left: readonly VirtualPath[]
}

/**
 * Ends every apply that a crash interrupted: with the new content when all renames were done, else with the old. A
 * damaged record is set aside with its originals, and `onDamaged` gets its new place.
 */
export async function recoverApply(options: {
  readonly rootFolder: string
  readonly recordFolder: string
  readonly hashing: Hashing
  readonly onDamaged?: (folder: string) => void
}): Promise<readonly RecoveredApply[]> {
  const outcomes: RecoveredApply[] = []
  for (const stored of await findRecords(options.recordFolder, options.onDamaged ?? (() => {}))) {
    const root = openDiskRoot(options.rootFolder)
    const paths = stored.record.steps.map((step) => step.path)
    const states = await lookAtAll(root, options.hashing, stored.record.steps)
    const isDone = states.every(({ state }) => state === 'after' || state === 'same')
    const left = isDone ? [] : await restore(root, options.hashing, stored)
    if (isDone) finish(root, stored)
    await syncFolders(root, stored.record.steps, stored.record)
    await stored.remove()
    outcomes.push({ outcome: isDone ? 'completed' : 'rolled_back', paths, left })
  }
  return outcomes
}

/** Cleans up after an apply that did all its renames: temporary files and emptied folders may be left. */
function finish(root: DiskRoot, { record }: StoredRecord): void {
  removeTemporaries(root, record.temporary)
  for (const { path } of [...record.emptied].reverse()) removeEmptyFolder(root, path)
}

/** Puts every path back, whatever state the interrupted apply left. Returns the paths that could not be restored. */
export async function restore(root: DiskRoot, hashing: Hashing, stored: StoredRecord): Promise<readonly VirtualPath[]> {
  const { record } = stored
  removeTemporaries(root, record.temporary)
  const states = await lookAtAll(root, hashing, record.steps)
  const undo = states.filter(({ state }) => state === 'after' || state === 'between').map(({ step }) => step)
  const left = new Set(states.filter(({ state }) => state === 'foreign').map(({ step }) => step.path))
  const attempt = async (path: VirtualPath, act: () => unknown): Promise<void> => {
    try {
      await act()
    } catch {
      left.add(path)
    }
  }
  for (const step of byDepth(undo).reverse()) await attempt(step.path, () => clear(root, step))
  for (const folder of [...record.made].reverse()) removeEmptyFolder(root, folder)
  for (const { path, mode } of record.emptied) await attempt(path, () => makeFolder(root, path, mode))
  for (const step of byDepth(undo)) await attempt(step.path, () => putBack(root, stored, step))
  return [...left]
}

/** Makes room where the old node has another kind than the new one, or where there was nothing. */
function clear(root: DiskRoot, { path, before, after }: RecordedStep): void {
  if (after === null || before?.kind === after.kind) return
  if (after.kind === 'directory') removeEmptyFolder(root, path)
  else ifThere(() => removeFile(root, path))
}

async function putBack(root: DiskRoot, stored: StoredRecord, { path, before }: RecordedStep): Promise<void> {
  if (before === null) return
  for (const folder of foldersAbove(path)) makeFolder(root, folder)
  if (before.kind === 'directory') return makeFolder(root, path, before.mode)
  const temporary = restoredName(stored, path)
  removeFile(root, temporary)
  if (before.kind === 'symlink') makeLink(root, temporary, before.target)
  else await writeTemporary(root, temporary, await stored.original(before), before.mode)
  replace(root, temporary, path)
}

/** The same name on every try, so that a killed restore leaves nothing behind. It is unique to this apply. */
function restoredName({ id }: StoredRecord, path: VirtualPath): VirtualPath {
  return joinPath(parentOf(path), `.coppice-${id}.tmp`)
}

function removeTemporaries(root: DiskRoot, paths: readonly VirtualPath[]): void {
  for (const path of paths) if (inspect(root, path).kind !== 'absent') removeFile(root, path)
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
  const bytes = await readWhole(root, path, node.size)
  return isExecutable(seen.stats.mode) === executable && bytes !== undefined && hashing.hash(bytes) === node.blob
}
