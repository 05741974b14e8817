import { emptyTree, type MergePlan, type Tree } from '#overlay'
import { failure, type Result, success } from '#shared/base/result.ts'
import { type Branch, isGone, type MergeResult, type MergeStrategy } from '#shared/model/branch.ts'
import type { EntryFromTool, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { ThreadStatus } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type BranchTrees, foldTrees } from './branch-trees.ts'

export interface MergeOptions {
  /** Files or folders; null for every change of the branch. */
  readonly paths: readonly VirtualPath[] | null
  /** Takes the branch's version of a file that both sides changed. */
  readonly force: boolean
  /** `three_way` joins texts whose changes do not overlap; `refuse` reports them as conflicts. */
  readonly strategy: MergeStrategy
}

export interface PlannedMerge {
  /** The combined result of all merges. */
  readonly result: MergeResult
  /** One for each branch with something to merge, in the order of the handles. */
  readonly entries: readonly EntryFromTool[]
  /** The parent's tree before them. */
  readonly before: Tree
  /** The parent's tree after all merges. */
  readonly tree: Tree
  /** False once the parent changed, so that the tree would be another one. */
  isCurrent(): boolean
}

/** Plans merges and discards by handle, as agents name branches. It stores nothing; the caller commits the entries. */
export interface BranchMerges {
  /** Merges in the order of `handles`, each on the result of the one before. Fails with a message for the model. */
  merge(threadId: ThreadId, handles: readonly Handle[], options: MergeOptions): Promise<Result<PlannedMerge, string>>
  /** For a person: merges every conflict-free branch, in order. Returns the rest in `left`, untouched. */
  mergeClean(branchIds: readonly BranchId[]): Promise<CleanMerge>
  /**
   * The same, but changes of one file that do not overlap are joined. A branch whose agent still
   * works is left, and so is a proposal for a conflict, which is taken or left there.
   */
  mergeReady(branchIds: readonly BranchId[]): Promise<CleanMerge>
  /** Null paths discard the branch as a whole. Fails with a message for the model. */
  discard(
    threadId: ThreadId,
    handle: Handle,
    paths: readonly VirtualPath[] | null,
  ): Result<readonly EntryFromTool[], string>
}

export interface CleanMerge {
  /** One for each merged branch, in the order of the given ids. */
  readonly entries: readonly MergedBody[]
  /** Branches that were not merged and stay unchanged. */
  readonly left: readonly BranchId[]
}

type MergedBody = Omit<EntryOf<'branch.merged'>, 'sequence' | 'threadId' | 'at'>

export interface BranchMergeDependencies {
  /** The current state, read for every call. */
  readonly state: () => ProjectState
  /** The current trees, read for every call. */
  readonly trees: () => BranchTrees
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** `trees` contains the results of earlier merges of the same call. */
  planMerge(trees: BranchTrees, branch: Branch, options: MergeOptions): Promise<MergePlan>
  /** Null paths discard the branch as a whole. */
  planDiscard(
    trees: BranchTrees,
    branch: Branch,
    paths: readonly VirtualPath[] | null,
  ): Omit<EntryOf<'branch.discarded'>, 'sequence' | 'threadId' | 'at' | 'type' | 'by' | 'branchId'>
}

export function createBranchMerges(dependencies: BranchMergeDependencies): BranchMerges {
  return {
    async merge(threadId, handles, options) {
      const found = findBranches(dependencies, threadId, handles)
      if (!found.ok) return found
      const parentId = dependencies.state().threads.get(threadId)?.branchId
      return success(await mergeInOrder(dependencies, parentId, found.value, options))
    },
    async mergeClean(branchIds) {
      const { entries, left } = await cleanOnes(dependencies, openOnes(dependencies.state(), branchIds), 'refuse')
      return { entries, left: left.map(({ id }) => id) }
    },
    async mergeReady(branchIds) {
      const state = dependencies.state()
      const open = openOnes(state, branchIds)
      const { ready = [], notYet = [] } = Object.groupBy(open, (one) => (isFinished(state, one) ? 'ready' : 'notYet'))
      const { entries, left } = await cleanOnes(dependencies, ready, 'three_way')
      return { entries, left: [...left, ...notYet].map(({ id }) => id) }
    },
    discard(threadId, handle, paths) {
      const found = findBranches(dependencies, threadId, [handle])
      if (!found.ok) return found
      const entries = found.value.map((branch): EntryFromTool => {
        const plan = dependencies.planDiscard(dependencies.trees(), branch, paths)
        return { type: 'branch.discarded', branchId: branch.id, by: 'agent', ...plan }
      })
      return success(entries)
    },
  }
}

const unfinished: ReadonlySet<ThreadStatus | undefined> = new Set(['queued', 'working', 'needs_you'])

/** False while the branch's agent works, and for a proposal for a conflict, which is taken or left there. */
export function isFinished({ threads }: Pick<ProjectState, 'threads'>, { threadId }: Branch): boolean {
  const thread = threads.get(threadId)
  return !unfinished.has(thread?.status) && thread?.parent?.resolves === undefined
}

function openOnes({ branches }: ProjectState, ids: readonly BranchId[]): readonly Branch[] {
  return ids.flatMap((id) => branches.get(id) ?? []).filter(({ status }) => status === 'open')
}

/** Plans each merge on the tree that the one before leaves, so that all of them can commit together. */
async function mergeInOrder(
  dependencies: BranchMergeDependencies,
  parentId: BranchId | undefined,
  branches: readonly Branch[],
  options: MergeOptions,
): Promise<PlannedMerge> {
  const headIn = ({ heads }: BranchTrees) => (parentId && heads.get(parentId)) ?? emptyTree
  let trees = dependencies.trees()
  const before = headIn(trees)
  const entries: EntryFromTool[] = []
  let result = nothingMerged
  for (const branch of branches) {
    if (branch.parentId === null) continue
    const plan = await dependencies.planMerge(trees, branch, options)
    result = join(result, plan.result)
    const entry = mergedEntry(branch, branch.parentId, plan, options.force, 'agent')
    trees = foldTrees(trees, { ...entry, sequence: 0, at: 0, threadId: branch.threadId })
    if (plan.patch.length > 0 || plan.bases.length > 0) entries.push(entry)
  }
  return { result, entries, before, tree: headIn(trees), isCurrent: () => headIn(dependencies.trees()) === before }
}

async function cleanOnes(
  dependencies: BranchMergeDependencies,
  branches: readonly Branch[],
  strategy: MergeStrategy,
): Promise<{ entries: MergedBody[]; left: Branch[] }> {
  let trees = dependencies.trees()
  const entries: MergedBody[] = []
  const left: Branch[] = []
  for (const branch of branches) {
    if (branch.parentId === null) continue
    const plan = await dependencies.planMerge(trees, branch, { paths: null, force: false, strategy })
    if (plan.result.conflicts.length > 0) left.push(branch)
    else if (plan.patch.length > 0 || plan.bases.length > 0) {
      const entry = mergedEntry(branch, branch.parentId, plan, false, 'person')
      trees = foldTrees(trees, { ...entry, sequence: 0, at: 0, threadId: branch.threadId })
      entries.push(entry)
    }
  }
  return { entries, left }
}

function mergedEntry(
  branch: Branch,
  into: Branch['id'],
  plan: MergePlan,
  forced: boolean,
  by: MergedBody['by'],
): MergedBody {
  return { type: 'branch.merged', branchId: branch.id, into, ...plan, forced, by }
}

function branchesByHandle(state: ProjectState, threadId: ThreadId): ReadonlyMap<Handle, Branch> {
  const parentId = state.threads.get(threadId)?.branchId
  const own = [...state.branches.values()].filter((branch) => branch.parentId === parentId)
  return new Map(own.flatMap((branch) => (branch.handle === null ? [] : [[branch.handle, branch] as const])))
}

function findBranches(
  { state: current, now }: BranchMergeDependencies,
  threadId: ThreadId,
  handles: readonly Handle[],
): Result<readonly Branch[], string> {
  const known = branchesByHandle(current(), threadId)
  const branches = handles.map((handle) => known.get(handle))
  const missing = handles.find((handle) => !known.has(handle))
  if (missing !== undefined) {
    const names = [...known.keys()].join(', ')
    return failure(
      `There is no subagent with the handle "${missing}". ${names ? `Known handles: ${names}.` : 'No subagents were started yet.'}`,
    )
  }
  const dropped = branches.find((branch) => branch?.status === 'discarded')
  if (dropped) return failure(droppedMessage(dropped, now()))
  return success(branches.filter((branch) => branch !== undefined))
}

function droppedMessage(branch: Branch, now: number): string {
  return isGone(branch, now)
    ? `The branch of ${branch.handle} was discarded more than seven days ago and is gone.`
    : `The branch of ${branch.handle} was discarded. The user can restore it from the Branches screen.`
}

const nothingMerged: MergeResult = { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] }

function join(a: MergeResult, b: MergeResult): MergeResult {
  return {
    written: [...a.written, ...b.written],
    deleted: [...a.deleted, ...b.deleted],
    renamed: [...a.renamed, ...b.renamed],
    merged: [...a.merged, ...b.merged],
    conflicts: [...a.conflicts, ...b.conflicts],
    skipped: [...a.skipped, ...b.skipped],
  }
}
