import { companionOf, companionsOf, isFileStep } from '#core/branches/apply-companions.ts'
import { planApply } from '#core/branches/apply-plan.ts'
import { joinedText } from '#core/branches/settle-drift.ts'
import { findApplyTarget, undoOfApply } from '#core/commands/apply.ts'
import { unwrap } from '#core/commands/command.ts'
import { readThread } from '#core/journal/read-thread.ts'
import { byFolder } from '#core/paths/project-folders.ts'
import {
  type ApplyStep,
  type ApplyWatch,
  type DiskApply,
  DiskApplyError,
  type StepCheck,
} from '#core/ports/disk-apply.ts'
import { emptyTree, identifyChanges, isLeaf, listChanges, type Tree } from '#overlay'
import type { ApplyReceipt, ApplyTarget } from '#shared/contract/views/branches.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { commitsText } from '#shared/tools/commit-words.ts'
import { findCommits } from '../headless/run-report.ts'
import type { Project } from '../project/project.ts'
import { carryOutApply } from './carry-out.ts'
import { appliedRepositories, madeAmong, removeRepositories, writeRepositories } from './made-repositories.ts'

/** Returns what applying would do to each path, compared with the disk as it is now. */
export async function checkApply(
  project: Project,
  branchId: BranchId,
  paths: readonly VirtualPath[] | null,
): Promise<readonly ApplyTarget[]> {
  const { tree } = unwrap(findApplyTarget(project.services.log, branchId))
  const disk = requireDisk(project)
  const { base, blobs } = project.services
  const changes = await listChanges({ base, blobs, from: emptyTree, to: tree, identified: true })
  const planned = await steps(project, tree, paths)
  const checks = new Map((await disk.check(planned)).map((check) => [check.path, check]))
  const along = companionsOf(
    tree,
    planned,
    changes.map(({ path }) => path),
  )
  const targets: ApplyTarget[] = []
  for (const { path, kind, identity = '' } of changes) {
    if (!checks.has(path)) continue
    const companions = along.get(path)
    const reached = [path, ...(companions ?? []).map((one) => one.path)]
    const { state, why } = worstOf(
      path,
      reached.flatMap((one) => checks.get(one) ?? []),
    )
    const joins = state === 'changed' && (await joinedText(project.services, tree, path)) !== null
    targets.push({ path, kind, state, why, identity, ...(joins && { joins }), ...(companions && { companions }) })
  }
  return targets
}

/** What stands in the way of a file, or of what is written along with it. */
function worstOf(path: VirtualPath, checks: readonly StepCheck[]): Pick<ApplyTarget, 'state' | 'why'> {
  const refused = checks.find(({ state }) => state === 'refused')
  const worst = refused ?? checks.find(({ state }) => state === 'changed')
  if (!worst || worst.state === 'ready') return { state: 'ready', why: null }
  return { state: worst.state, why: worst.path === path ? worst.why : `${worst.path}: ${worst.why}` }
}

interface ApplyOptions {
  readonly signal?: AbortSignal | undefined
  /** What the person saw of each file; without it, nothing is compared. */
  readonly expected?: readonly Expected[] | undefined
  /** What the person saw of the files that are written along with those; without it, these are not compared. */
  readonly along?: readonly Expected[] | undefined
}

type Expected = Pick<ApplyTarget, 'path' | 'identity'>

/**
 * Writes the branch's changes to the user's folder; nothing else does. Stores the intent before and the result after,
 * so that the next start can settle an apply that a crash cut off.
 */
export async function applyToDisk(
  project: Project,
  branchId: BranchId,
  paths: readonly VirtualPath[] | null,
  { signal, expected, along }: ApplyOptions = {},
): Promise<ApplyReceipt> {
  const { tree, threadId } = unwrap(findApplyTarget(project.services.log, branchId))
  const disk = requireDisk(project)
  const seesAll = expected !== undefined && (await requireExpected(project, tree, expected))
  // The paths of all changes leave out empty folders, and folders that are hidden as a whole.
  const planned = await steps(project, tree, seesAll ? null : paths)
  if (expected && along) requireAlong(planned, expected, along)
  if (planned.length === 0) throw new WireError('REFUSED', 'There are no changes to apply.')
  await requireNoRefusal(project, threadId, { branchId, planned }, signal)
  const watch = { ...(signal && { signal }), onProgress: tellProgress(project, threadId, branchId) }
  const { written, deleted } = listWritten(planned)
  const made = await madeAmong(project.services, branchId, written)
  const repositories = made.length === 0 ? {} : { repositories: appliedRepositories(project.services, made) }
  const intent = { threadId, branchId, steps: planned, ...repositories }
  const sequence = await carryOutApply({ ...project, disk }, intent, watch)
  const folders = await writeRepositories(project.services, disk, made)
  return { sequence, written: [...written, ...folders], deleted }
}

/** Hooks may refuse what is about to be written. */
async function requireNoRefusal(
  { runtime }: Project,
  threadId: ThreadId,
  { branchId, planned }: { readonly branchId: BranchId; readonly planned: readonly ApplyStep[] },
  signal = new AbortController().signal,
): Promise<void> {
  const facts = { branch_id: branchId, ...listWritten(planned) }
  const refusal = await runtime.askHooks(threadId, { moment: 'BeforeApply', facts }, signal)
  if (refusal !== null) throw new WireError('REFUSED', refusal)
}

/** Refuses when a file is not as the person saw it. Returns whether the person saw every change. */
async function requireExpected({ services }: Project, tree: Tree, expected: readonly Expected[]): Promise<boolean> {
  const now = await identifyChanges({ base: services.base, from: emptyTree, to: tree })
  refuseMoved(expected.filter(({ path, identity }) => now.get(path) !== identity))
  return now.size === new Set(expected.map(({ path }) => path)).size
}

/** Refuses when another file would be written along than the person saw, or another version of it. */
function requireAlong(planned: readonly ApplyStep[], expected: readonly Expected[], along: readonly Expected[]): void {
  const listed = new Set(expected.map(({ path }) => path))
  const seen = new Map(along.map(({ path, identity }) => [path, identity]))
  const companions = planned.filter((step) => isFileStep(step) && !listed.has(step.path)).map(companionOf)
  refuseMoved(companions.filter(({ path, identity }) => seen.get(path) !== identity))
}

function refuseMoved(moved: readonly Pick<Expected, 'path'>[]): void {
  const [first] = moved
  if (!first) return
  const names = moved.length === 1 ? first.path : `${first.path} and ${moved.length - 1} more`
  throw new WireError('CONFLICT', `${names} changed since you looked. Look again, then apply.`)
}

/**
 * Undoes one apply: restores its files if nobody changed them since, and makes them changes of the branch again. A `.git` that
 * it wrote goes too. Where somebody has worked in it since, it stays, and the undo is refused if its folder would have to go.
 */
export async function undoApply(project: Project, branchId: BranchId, sequence: Sequence): Promise<void> {
  const disk = requireDisk(project)
  const { repositories = [], ...intent } = unwrap(undoOfApply(project.services, branchId, sequence))
  // First, because a folder that the apply made can only go when nothing else is in it.
  const putBack = await removeRepositories(project.services, disk, repositories)
  try {
    await carryOutApply({ ...project, disk }, intent)
  } catch (error) {
    await putBack()
    throw error
  }
}

/** Milliseconds between two progress events. Nobody reads faster. */
const progressPace = 100

function tellProgress(
  { services: { announce, clock, log } }: Project,
  threadId: ThreadId,
  branchId: BranchId,
): NonNullable<ApplyWatch['onProgress']> {
  let told = 0
  return (done, total) => {
    const at = clock.now()
    if (at - told < progressPace) return
    told = at
    announce({ type: 'apply.progress', branchId, done, total, threadId, at, sequence: log.state.sequence })
  }
}

function requireDisk({ diskApply }: Project): DiskApply {
  if (!diskApply) throw new WireError('REFUSED', 'A scratch workspace has no folder. Export a patch instead.')
  return diskApply
}

function steps({ services }: Project, tree: Tree, paths: readonly VirtualPath[] | null): Promise<readonly ApplyStep[]> {
  const { base, blobs, hashing } = services
  return planApply({ base, blobs, hashing, tree, paths })
}

/** A file that makes room for a folder is deleted. */
function listWritten(planned: readonly ApplyStep[]): Pick<ApplyReceipt, 'written' | 'deleted'> {
  const { written = [], deleted = [] } = Object.groupBy(planned, ({ before, after }) =>
    after === null || (isLeaf(before) && !isLeaf(after)) ? 'deleted' : 'written',
  )
  return { written: written.map(({ path }) => path), deleted: deleted.map(({ path }) => path) }
}

/** `--apply`: applies all changes of a thread. Returns one sentence about what was written. */
export async function applyThread(project: Project, threadId: ThreadId): Promise<string> {
  const thread = readThread(project.services.log, threadId)
  if (!thread) throw new WireError('NOT_FOUND', `There is no thread ${threadId}.`)
  const tree = project.services.log.trees.heads.get(thread.branchId) ?? emptyTree
  if ((await steps(project, tree, null)).length === 0) {
    const commits = await findCommits(project, threadId)
    return commits.length === 0
      ? 'No changes: nothing was applied.'
      : `Nothing was applied, but the agents left ${commitsText(commits)}.`
  }
  const receipt = await applyToDisk(project, thread.branchId, null).catch((error: unknown) => {
    throw error instanceof DiskApplyError && error.code === 'changed' ? undecided(error, threadId) : error
  })
  const folders = foldersOf(project, [...receipt.written, ...receipt.deleted])
  return `Applied to ${folders}: ${receipt.written.length} written, ${receipt.deleted.length} deleted.`
}

/** The real folders that have these paths, for people. */
export function foldersOf({ folders, info }: Pick<Project, 'folders' | 'info'>, paths: readonly VirtualPath[]): string {
  const [first, ...others] = folders
  if (first === undefined || others.length === 0) return info().path
  const used = byFolder([first, ...others], paths, (path) => path)
  const named = [...used.keys()].map(({ path }) => path ?? info().path)
  return named.length === 0 ? info().path : named.join(' and ')
}

function undecided({ message }: DiskApplyError, threadId: ThreadId): WireError {
  const command = `coppice apply ${threadId.slice(0, 8)}`
  return new WireError('CONFLICT', `${message} Decide with: ${command} --join, --ours PATH or --theirs PATH.`)
}

/** The applies in progress, so that a person can cancel one from any window. */
export interface RunningApplies {
  run<Result>(branchId: BranchId, apply: (signal: AbortSignal) => Promise<Result>): Promise<Result>
  /** Does nothing when no apply is in progress. The caller of `run` learns how it ended. */
  cancel(branchId: BranchId): void
}

export function createRunningApplies(): RunningApplies {
  const running = new Map<BranchId, Set<AbortController>>()
  return {
    async run(branchId, apply) {
      const controller = new AbortController()
      const others = running.get(branchId) ?? new Set()
      running.set(branchId, others.add(controller))
      try {
        return await apply(controller.signal)
      } finally {
        others.delete(controller)
        if (others.size === 0) running.delete(branchId)
      }
    },
    cancel(branchId) {
      for (const controller of running.get(branchId) ?? []) controller.abort()
    },
  }
}
