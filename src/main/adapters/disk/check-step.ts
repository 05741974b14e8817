import { readdirSync } from 'node:fs'
import type { ApplyStep, StepCheck } from '#core/ports/disk-apply.ts'
import type { Hashing } from '#core/ports/hashing.ts'
import { isGitName } from '#shared/model/git-names.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { ancestorsOf, joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { hashFile } from '../system/hash-file.ts'
import { type DiskRoot, readFlags } from './disk-root.ts'
import { inspect, openFolder, type Seen } from './inspect-target.ts'
import { isExecutable } from './node-at.ts'
import { readHandle } from './open-verified.ts'

/** All steps of the same apply by path, because some steps depend on others. */
export type StepIndex = ReadonlyMap<VirtualPath, ApplyStep>

/** Compares the disk with what a step expects there. Reads content only when the sizes agree. */
export async function checkStep(
  root: DiskRoot,
  hashing: Hashing,
  step: ApplyStep,
  steps: StepIndex,
  signal?: AbortSignal,
): Promise<StepCheck> {
  const { path, before } = step
  if (path === '/') return refuse(path, 'The project folder itself cannot be changed.')
  // A repository that an apply made is taken back as it was made: whole, which the folder's own step makes sure of.
  const mayTouch = step.makesRepository && (isTakenBack(path, steps) || isNewRepository(root, path))
  if (path.split('/').some(isGitName) && !mayTouch) return refuse(path, 'Git metadata is never written.')
  if (root.hides(path)) return refuse(path, 'The app keeps its own data there.')
  const seen = inspect(root, path)
  switch (seen.kind) {
    case 'blocked':
      return checkBlocked(seen.by, step, steps)
    case 'special':
      return refuse(path, 'It is now a FIFO, socket or device.')
    case 'absent':
      return before === null ? { path, state: 'ready' } : reportChange(path, 'It was deleted on disk.')
    case 'symlink':
      return before?.kind === 'symlink' && before.target === seen.target
        ? { path, state: 'ready' }
        : refuse(path, before?.kind === 'symlink' ? 'The link now leads elsewhere.' : 'It is now a link.')
    case 'directory':
      return checkDirectory(root, step, steps)
    case 'file':
      return checkFile(root, hashing, step, seen, signal)
  }
}

function isTakenBack(path: VirtualPath, steps: StepIndex): boolean {
  const [git] = /^.+?\/\.git(?=\/|$)/.exec(path) ?? []
  return git !== undefined && steps.get(git as VirtualPath)?.after === null
}

/** True for a path in `.git` of a folder that has none. */
function isNewRepository(root: DiskRoot, path: VirtualPath): boolean {
  const [git] = /^.+?\/\.git(?=\/|$)/.exec(path) ?? []
  return (
    git !== undefined &&
    git === `${parentOf(git as VirtualPath)}/.git` &&
    inspect(root, git as VirtualPath).kind === 'absent'
  )
}

/** A file or link in the way of a new folder is fine when another step removes it. */
function checkBlocked(by: 'link' | 'file', { path, before }: ApplyStep, steps: StepIndex): StepCheck {
  const makesRoom = ancestorsOf(path).some((folder) => {
    const step = steps.get(folder)
    return step?.before && step.before.kind !== 'directory' && step.after?.kind !== 'file'
  })
  if (before === null && makesRoom) return { path, state: 'ready' }
  return by === 'link'
    ? refuse(path, 'A folder above it is now a link.')
    : reportChange(path, 'A folder above it is now a file.')
}

function checkDirectory(root: DiskRoot, { path, before, after }: ApplyStep, steps: StepIndex): StepCheck {
  // A folder that is to be made may be there already, as where what was removed is put back beside what somebody keeps in it.
  if (after?.kind === 'directory' && (before === null || before.kind === 'directory')) return { path, state: 'ready' }
  if (before?.kind !== 'directory') return refuse(path, 'It is now a folder.')
  using folder = mustBeFolder(openFolder(root, path))
  const stays = readdirSync(folder.directory).find((name) => {
    const step = steps.get(joinPath(path, name))
    return step === undefined || step.after !== null
  })
  return stays === undefined
    ? { path, state: 'ready' }
    : reportChange(path, `The folder also holds ${JSON.stringify(stays)}, which is not part of the change.`)
}

async function checkFile(
  root: DiskRoot,
  hashing: Hashing,
  { path, before }: ApplyStep,
  seen: Extract<Seen, { kind: 'file' }>,
  signal: AbortSignal | undefined,
): Promise<StepCheck> {
  if (before === null) return reportChange(path, 'A file appeared there on disk.')
  if (before.kind !== 'file') return reportChange(path, 'It is now a file.')
  if (isExecutable(seen.stats.mode) !== before.executable)
    return reportChange(path, 'Its executable bit changed on disk.')
  if (seen.stats.size !== before.size || (await hashAt(root, hashing, path, before, signal)) !== before.blob)
    return reportChange(path, 'Its content changed on disk.')
  return { path, state: 'ready' }
}

/**
 * The hash of the regular file at exactly this path, which has the node's size. A large file is not read into memory.
 * Undefined when the file moved or changed meanwhile. Throws the signal's reason.
 */
export async function hashAt(
  root: DiskRoot,
  hashing: Hashing,
  path: VirtualPath,
  { size, large }: { readonly size: number; readonly large?: unknown },
  signal?: AbortSignal,
): Promise<BlobHash | undefined> {
  if (!large) {
    const bytes = await readWhole(root, path, size)
    return bytes && hashing.hash(bytes)
  }
  const opened = root.open(path, readFlags)
  if (opened === 'moved') return undefined
  using file = opened
  return (await hashFile(file.descriptor, signal))?.blob
}

/** The bytes of the regular file at exactly this path. Links are not followed. */
export async function readWhole(root: DiskRoot, path: VirtualPath, size: number): Promise<Uint8Array | undefined> {
  const opened = root.open(path, readFlags)
  if (opened === 'moved') return undefined
  using file = opened
  return await readHandle(file.descriptor, 0, size)
}

function mustBeFolder(opened: ReturnType<typeof openFolder>): Exclude<typeof opened, string> {
  if (typeof opened === 'string') throw new Error(`The folder changed while it was looked at: ${opened}.`)
  return opened
}

const refuse = (path: VirtualPath, why: string): StepCheck => ({ path, state: 'refused', why })
const reportChange = (path: VirtualPath, why: string): StepCheck => ({ path, state: 'changed', why })
