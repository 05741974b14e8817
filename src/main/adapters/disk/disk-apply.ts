import type { Stats } from 'node:fs'
import {
  type ApplyStep,
  type ApplyWatch,
  type DiskApply,
  DiskApplyError,
  type StepCheck,
} from '#core/ports/disk-apply.ts'
import type { Hashing } from '#core/ports/hashing.ts'
import { diskReason } from '#shared/base/disk-errors.ts'
import { forEachLimited } from '#shared/base/limiter.ts'
import { type FilePermissions, isLarge, withExecutable } from '#shared/model/tree-node.ts'
import { nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { newFileMode } from '../system/new-file-mode.ts'
import { hasRecords, recordApply, type StoredRecord, setAside } from './apply-record.ts'
import { checkStep } from './check-step.ts'
import { type DiskRoot, openDiskRoot } from './disk-root.ts'
import { inspect } from './inspect-target.ts'
import { keepFolders, syncFolders } from './kept-folders.ts'
import {
  isPath,
  keptFolderOf,
  type LargeCopy,
  type LargeFiles,
  type LargePlace,
  type LargePlan,
  openLargeFiles,
  planLarge,
} from './large-files.ts'
import { type ApplyPlan, planApply } from './plan-apply.ts'
import { recoverApply, restore } from './restore-apply.ts'
import { makeFolder, makeLink, removeEmptyFolder, removeFile, replace, writeTemporary } from './write-target.ts'

export interface DiskApplyOptions {
  readonly rootFolder: string
  /** Keeps the record of a running apply. Lies in the data folder. */
  readonly recordFolder: string
  readonly hashing: Hashing
  /** A folder inside the project that is not part of it. Nothing is written there. */
  readonly hidden?: VirtualPath | null
  /** False where nothing is undone: then deleted large files are not kept. */
  readonly keepsDeleted?: boolean
}

/** Nothing in the project changes until every new content lies beside its target and the record is durable. */
export function createDiskApply(options: DiskApplyOptions): DiskApply {
  const project = openDiskRoot(options.rootFolder, options.hidden ?? null)
  /** Applies run one after the other. Otherwise one that rolls back could undo the finished work of another. */
  let last: Promise<unknown> = Promise.resolve()
  return {
    async check(steps) {
      using root = keepFolders(project)
      return await checkAll(root, options.hashing, steps)
    },
    apply(steps, content, watch = {}) {
      const applied = last.then(() => applyAlone(steps, content, watch))
      last = applied.catch(() => undefined)
      return applied
    },
  }

  async function applyAlone(...[steps, content, watch = {}]: Parameters<DiskApply['apply']>): Promise<void> {
    requireFolder(project)
    await settleEarlier(options)
    using root = keepFolders(project)
    const files = openLargeFiles(root, keptFolderOf(options.recordFolder))
    const { seen, plan, stored, large } = await prepare(root, files, options, steps, watch.signal)
    try {
      const advance = createAdvance(plan, watch)
      await stage(root, plan, content, advance, { large, files, ...watch })
      refuseUnready(await changedSince(root, steps, seen))
      await commit({ root, plan, seen, advance, large, files })
      await syncFolders(root, steps, plan)
      if (large.moves.length > 0) await files.sync()
      await watch.whenWritten?.()
    } catch (error) {
      throw await takeBack(project, options, stored, watch.signal?.aborted ? cancelled : error)
    }
    await stored.remove()
    if (options.keepsDeleted === false) dropKept(files, large)
  }
}

/** A file that cannot be removed takes space, but the apply is done. */
function dropKept(files: LargeFiles, { moves }: LargePlan): void {
  for (const { to } of moves) {
    try {
      if (!isPath(to)) files.remove(to)
    } catch {}
  }
}

function requireFolder(root: DiskRoot): void {
  try {
    root.requireSame()
  } catch (error) {
    throw applyError(error, 'Nothing was written.')
  }
}

/**
 * Puts back what a failing disk refused to take back at the end of an earlier apply. Until that is done nothing else is
 * applied: later it could no longer be told from the work of others.
 */
async function settleEarlier(options: DiskApplyOptions): Promise<void> {
  try {
    if (!(await hasRecords(options.recordFolder))) return
    const refused = (await recoverApply({ ...options, mustRollBack: true })).flatMap(({ failed }) => failed)
    const [first] = refused
    if (!first) return
    const paths = visible(refused.map(({ path }) => path))
    const names = paths.length === 0 ? 'temporary files' : paths.join(', ')
    throw applyError(first.error, 'Nothing was written.', paths, `${notPutBack}: ${names}`)
  } catch (error) {
    throw error instanceof DiskApplyError ? error : applyError(error, 'Nothing was written.', [], notPutBack)
  }
}

const notPutBack = 'an earlier change that failed is not put back yet'

/** Looks at every path, and keeps what the apply will replace. Writes nothing into the project. */
async function prepare(
  root: DiskRoot,
  files: LargeFiles,
  options: DiskApplyOptions,
  steps: readonly ApplyStep[],
  signal: AbortSignal | undefined,
) {
  try {
    const seen = await fingerprints(root, steps)
    refuseUnready(await checkAll(root, options.hashing, steps, signal))
    const plan = planApply(root, steps)
    const large = await planLarge(files, steps, plan, signal)
    const stored = await recordApply(root, options, steps, plan, large).catch((error: unknown) => {
      throw applyError(error, 'Nothing was written.', [], 'the record of the change in the data folder')
    })
    return { seen, plan, stored, large }
  } catch (error) {
    if (signal?.aborted) throw nothingWritten()
    throw error instanceof DiskApplyError ? error : applyError(error, 'Nothing was written.')
  }
}

async function checkAll(
  root: DiskRoot,
  hashing: Hashing,
  steps: readonly ApplyStep[],
  signal?: AbortSignal,
): Promise<readonly StepCheck[]> {
  const index = new Map(steps.map((step) => [step.path, step]))
  const checks: StepCheck[] = []
  const pace = createPace()
  for (const step of steps) {
    checks.push(await naming(step.path, () => checkStep(root, hashing, step, index, signal)))
    await pace()
  }
  return checks
}

function refuseUnready(checks: readonly StepCheck[]): void {
  const unready = checks.filter((check) => check.state !== 'ready')
  const [first] = unready
  if (!first) return
  const code = unready.some((check) => check.state === 'refused') ? 'refused' : 'changed'
  const more = unready.length > 1 ? ` (and ${unready.length - 1} more)` : ''
  throw new DiskApplyError(code, `${first.path}: ${first.why}${more} Nothing was written.`)
}

async function changedSince(
  root: DiskRoot,
  steps: readonly ApplyStep[],
  seen: Fingerprints,
): Promise<readonly StepCheck[]> {
  const now = await fingerprints(root, steps)
  return steps.flatMap(({ path }) => (now.get(path) === seen.get(path) ? [] : [changedMeanwhile(path)]))
}

function changedMeanwhile(path: VirtualPath): StepCheck {
  return { path, state: 'changed', why: 'It changed on disk while the change was prepared.' }
}

/** Checks a path again right before its change. A large apply takes a while, and a person may save a file meanwhile. */
function refuseChanged(root: DiskRoot, path: VirtualPath, expected: string | undefined): void {
  if (fingerprint(root, path) !== expected) refuseUnready([changedMeanwhile(path)])
}

/** Call after each piece of work. Throws when the apply must stop. */
type Advance = () => void

function createAdvance({ placements, removals }: ApplyPlan, { signal, onProgress }: ApplyWatch): Advance {
  const total = 2 * placements.length + removals.length
  let done = 0
  return () => {
    done += 1
    onProgress?.(done, total)
    signal?.throwIfAborted()
  }
}

async function stage(
  root: DiskRoot,
  plan: ApplyPlan,
  content: (step: ApplyStep) => Uint8Array,
  advance: Advance,
  { large, files, signal }: Pick<Committed, 'large' | 'files'> & Pick<ApplyWatch, 'signal'>,
): Promise<void> {
  /** The writes must have settled before anything is taken back, and `forEachLimited` waits for them. */
  await forEachLimited(plan.placements, stagedAtOnce, async (placement) => {
    const { step } = placement
    if (!isLarge(step.after)) await stageOne(root, placement, content)
    const copy = large.copies.find(({ temporary }) => temporary === placement.temporary)
    if (copy) await naming(step.path, () => stageCopy(step, copy, files, signal))
    advance()
  })
}

/** Eight writes run at once, because a journaling file system then stores them with one write. */
const stagedAtOnce = 8

async function stageOne(
  root: DiskRoot,
  { step, temporary }: ApplyPlan['placements'][number],
  content: (step: ApplyStep) => Uint8Array,
): Promise<void> {
  if (!temporary || !step.after) return
  const { after, path } = step
  await naming(path, async () => {
    if (after.kind === 'symlink') makeLink(root, temporary, after.target)
    else await writeTemporary(root, temporary, content(step), modeAfter(root, step), path)
  })
}

/** The content is read again to be sure that it is the wanted one: nothing else has checked the file that it came from. */
async function stageCopy(
  { path, after }: ApplyStep,
  { from, temporary }: LargeCopy,
  files: LargeFiles,
  signal: AbortSignal | undefined,
): Promise<void> {
  await files.copy(from, temporary)
  files.setMode(temporary, largeMode(files, temporary, after))
  if (after?.kind !== 'file' || (await files.hash(temporary, signal)) === after.blob) return
  throw new DiskApplyError(
    'changed',
    `${path}: The file on disk at ${from} has other content now. Nothing was written.`,
  )
}

function largeMode(files: LargeFiles, place: LargePlace, after: ApplyStep['after']): number {
  return after?.kind === 'file' ? modeOf(after, files.modeOf(place)) : files.modeOf(place)
}

/** A new file follows the person's umask. */
function modeAfter(root: DiskRoot, { path, after }: ApplyStep): number | null {
  const seen = inspect(root, path)
  const mode = seen.kind === 'file' ? seen.stats.mode & 0o7777 : newFileMode(false)
  return after?.kind === 'file' ? modeOf(after, mode) : mode
}

/** Where nobody chose permissions, a file keeps those that it has, except for the executable bit. */
function modeOf({ executable, mode }: FilePermissions, before: number): number {
  return mode ?? withExecutable(before, executable)
}

interface Committed {
  readonly root: DiskRoot
  readonly plan: ApplyPlan
  readonly seen: Fingerprints
  readonly advance: Advance
  readonly large: LargePlan
  readonly files: LargeFiles
}

async function commit({ root, plan, seen: before, advance, large, files }: Committed): Promise<void> {
  const seen = new Map(before)
  const moves = new Map(large.moves.map((move) => [move.from, move]))
  const removed = new Set(plan.removals.map(({ path }) => path))
  const pace = createPace()
  const progress = () => {
    advance()
    return pace()
  }
  for (const { path, before } of plan.removals) {
    refuseChanged(root, path, seen.get(path))
    await steppingOn(root, path, seen, () => {
      const move = moves.get(path)
      if (move) return files.move(path, move.temporary ?? move.to)
      if (before?.kind !== 'directory') removeFile(root, path)
      else if (!removeEmptyFolder(root, path)) throw new Error(`The folder ${path} is not empty.`)
    })
    await progress()
  }
  for (const { from, temporary, to } of large.moves)
    if (!isPath(from) && temporary) await naming(to as VirtualPath, () => files.move(from, temporary))
  for (const folder of plan.made) await naming(folder, () => makeFolder(root, folder))
  for (const { step, temporary } of plan.placements) {
    const roomWasMade = removed.has(step.path) || seen.get(step.path) === 'blocked'
    if (temporary) {
      refuseChanged(root, step.path, roomWasMade ? 'absent' : seen.get(step.path))
      await steppingOn(root, step.path, seen, () => {
        if (isLarge(step.after)) files.setMode(temporary, largeMode(files, temporary, step.after))
        replace(root, temporary, step.path)
      })
    }
    await progress()
  }
  for (const folder of [...plan.emptied].reverse()) await naming(folder, () => removeEmptyFolder(root, folder))
}

/** A failure of the disk, with the path of the project that it concerns. */
class DiskFault extends Error {
  readonly path: VirtualPath
  override readonly cause: unknown

  constructor(path: VirtualPath, cause: unknown) {
    super(diskReason(cause))
    this.path = path
    this.cause = cause
  }
}

/** Makes errors of the system name the path of the project. Their own paths are temporary or of no use to a person. */
async function naming<Value>(path: VirtualPath, act: () => Value): Promise<Awaited<Value>> {
  try {
    return await act()
  } catch (error) {
    throw error instanceof DiskApplyError ? error : new DiskFault(path, error)
  }
}

async function takeBack(
  root: DiskRoot,
  { hashing, recordFolder }: DiskApplyOptions,
  stored: StoredRecord,
  cause: unknown,
): Promise<Error> {
  let left: readonly VirtualPath[]
  try {
    const { foreign, failed, damaged } = await restore(
      root,
      hashing,
      stored,
      openLargeFiles(root, keptFolderOf(recordFolder)),
    )
    await syncFolders(root, stored.record.steps, stored.record)
    if (failed.length > 0) {
      const all = visible([...foreign, ...failed.map(({ path }) => path)])
      return applyError(cause, `Could not put back now: ${all.join(', ')}. ${whenPutBack}`, all)
    }
    /** The person learns what others changed. Restoring it at the next start could undo a later apply. */
    await (damaged ? setAside(stored.folder) : stored.remove())
    left = foreign
  } catch (error) {
    return applyError(cause, `It could not be put back now: ${diskReason(error)}. ${whenPutBack}`)
  }
  if (cause instanceof DiskApplyError) return new DiskApplyError(cause.code, cause.message, left)
  if (cause === cancelled && left.length === 0) return nothingWritten()
  const outcome = left.length === 0 ? 'Everything was put back.' : `Could not put back: ${left.join(', ')}.`
  return applyError(cause, outcome, left)
}

const cancelled = new Error('It was cancelled')

function nothingWritten(): DiskApplyError {
  return new DiskApplyError('cancelled', 'Cancelled: nothing was written.')
}

function applyError(
  cause: unknown,
  outcome: string,
  left: readonly VirtualPath[] = [],
  place: string | null = null,
): DiskApplyError {
  const where = cause instanceof DiskFault ? `${cause.path}: ` : place === null ? '' : `${place}: `
  return new DiskApplyError(
    'failed',
    `The change could not be written: ${where}${diskReason(cause).replace(/\.$/, '')}. ${outcome}`,
    left,
  )
}

/** Without the app's own temporary files. */
function visible(paths: readonly VirtualPath[]): readonly VirtualPath[] {
  return paths.filter((path) => !nameOf(path).startsWith('.coppice-'))
}

const whenPutBack = 'What was replaced is kept, and is put back when the project is opened again.'

/** Changes when anyone writes, replaces or removes the entry at the path. It does not need the content. */
function fingerprint(root: DiskRoot, path: VirtualPath): string {
  const seen = inspect(root, path)
  if (seen.kind === 'symlink') return `symlink ${seen.target}`
  if (seen.kind !== 'file') return seen.kind
  return `${contentMark(seen.stats)} ${seen.stats.ctimeMs}`
}

/** A step on another hard link to the same file leaves this as it is. */
function contentMark({ ino, size, mtimeMs }: Stats): string {
  return `file ${ino} ${size} ${mtimeMs}`
}

/** Acts on a path, and expects what that changes at the other hard links to its file. */
async function steppingOn(
  root: DiskRoot,
  path: VirtualPath,
  expected: Map<VirtualPath, string>,
  act: () => unknown,
): Promise<void> {
  const seen = inspect(root, path)
  const isShared = seen.kind === 'file' && seen.stats.nlink > 1
  const mark = isShared ? `${contentMark(seen.stats)} ` : undefined
  const others = mark === undefined ? [] : [...expected].filter(([, print]) => print.startsWith(mark))
  const untouched = others.filter(([other, print]) => other !== path && fingerprint(root, other) === print)
  await naming(path, act)
  for (const [other, print] of untouched) {
    const now = await naming(other, () => fingerprint(root, other))
    if (mark !== undefined && now.startsWith(mark) && now !== print) expected.set(other, now)
  }
}

export type Fingerprints = ReadonlyMap<VirtualPath, string>

async function fingerprints(root: DiskRoot, steps: readonly ApplyStep[]): Promise<Fingerprints> {
  const pace = createPace()
  const found = new Map<VirtualPath, string>()
  for (const { path } of steps) {
    found.set(path, await naming(path, () => fingerprint(root, path)))
    await pace()
  }
  return found
}
