import { type ComposedFile, composedFiles, emptyTree, type Pace, sameNode, type Tree } from '#overlay'
import { type Result, success } from '#shared/base/result.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { earlierMerges } from '../../branches/branch-trees.ts'
import { readBranch } from '../../journal/read-thread.ts'
import { treeAt } from '../../journal/rewind.ts'
import { findBranch } from '../branches.ts'
import { type CommandError, type CommandProject, refuse } from '../command.ts'

/** What is composed: branches as they are now, or as they were after an entry. */
export interface CompositionRequest {
  /** The branch that gets the result. */
  readonly into: BranchId
  /** Null for a branch as it is now. */
  readonly sources: readonly { readonly branchId: BranchId; readonly sequence: Sequence | null }[]
}

/** A tree to choose from. */
export interface CompositionSource {
  readonly branch: Branch
  /** Null for the branch as it is now. */
  readonly sequence: Sequence | null
  readonly tree: Tree
}

/** Trees over what all of them began with. */
export interface FoundComposition {
  readonly into: Branch
  /** As they were asked for. The last one is `into` as it is now, because it may have changed since. */
  readonly sources: readonly CompositionSource[]
  readonly fork: Tree
  /** `into` when this was found. What is stored is a change of it, so that of two at once one is refused. */
  readonly onto: Tree
  /** The last entry when this was found. */
  readonly sequence: Sequence
}

/** A branch on the way to what it shares with others, and when it left that. */
interface Ancestor {
  readonly branchId: BranchId
  /** What was forked off is as the branch was after this entry. */
  readonly sequence: Sequence
  /** The tree at that entry. */
  readonly tree: Tree
}

/** Finds the trees, and the one that all of them began with: what their nearest common ancestor was when the first of them left it. */
export function findComposition(
  project: CommandProject,
  { into, sources }: CompositionRequest,
): Result<FoundComposition, CommandError> {
  const goal = findBranch(project, into)
  if (!goal.ok) return goal
  if (goal.value.status === 'discarded')
    return refuse('conflict', 'The branch that gets the result was discarded. Restore it first.')
  const found: CompositionSource[] = []
  for (const { branchId, sequence } of [...sources, { branchId: into, sequence: null }]) {
    const branch = findBranch(project, branchId)
    if (!branch.ok) return branch
    const tree = treeOf(project, branchId, sequence)
    if (!tree) return refuse('not_found', `The branch ${branch.value.name} did not exist at ${sequence}.`)
    found.push({ branch: branch.value, sequence, tree })
  }
  const fork = commonTree(project, found)
  if (!fork) return refuse('refused', 'These branches belong to different threads, so they have no common beginning.')
  const onto = found.at(-1)?.tree ?? emptyTree
  return success({ into: goal.value, sources: found, fork, onto, sequence: project.log.state.sequence })
}

function treeOf({ log }: CommandProject, branchId: BranchId, sequence: Sequence | null): Tree | undefined {
  if (sequence !== null) return treeAt(log, branchId, sequence)
  return log.trees.heads.get(branchId) ?? emptyTree
}

function commonTree(project: CommandProject, sources: readonly CompositionSource[]): Tree | undefined {
  const lines = sources.map((source) => ancestorsOf(project, source))
  const shared = lines[0]?.find(({ branchId }) => lines.every((line) => line.some((one) => one.branchId === branchId)))
  if (!shared) return undefined
  const left = lines.flatMap((line) => line.find(({ branchId }) => branchId === shared.branchId) ?? [])
  return left.reduce((earliest, one) => (one.sequence < earliest.sequence ? one : earliest)).tree
}

/** The branch itself and those above it, each as it was when the next one was forked off. */
function ancestorsOf({ log }: CommandProject, { branch, sequence, tree }: CompositionSource): readonly Ancestor[] {
  const line: Ancestor[] = [{ branchId: branch.id, sequence: sequence ?? log.state.sequence, tree }]
  for (let at: Branch | undefined = branch; at?.parentId; at = readBranch(log, at.parentId)) {
    const fork = log.trees.forkPoints.get(at.id) ?? emptyTree
    line.push({ branchId: at.parentId, sequence: at.forkedAt, tree: fork })
  }
  return line
}

/**
 * Every file that a source changed and `into` has not, or not so. What a branch merged before counts as no change of it, so
 * that nothing comes back that was changed since.
 */
export async function readComposition(
  project: CommandProject,
  { into, sources, fork }: FoundComposition,
  pace: Pace,
): Promise<readonly ComposedFile[]> {
  const { base, blobs, hashing, textMerge, log } = project
  const merged = sources.map(({ branch }) => (branch.parentId === into.id ? earlierMerges(log.trees, branch.id) : null))
  const files = await composedFiles({
    ...{ base, blobs, hashing, textMerge, pace, fork },
    sources: sources.map(({ tree }) => tree),
    settled: (source, path) => merged[source]?.baseOf(path),
  })
  return files.filter((file) => !isInto(file, sources.length - 1))
}

/** True for a file that all sources that changed it have as `into` has it. */
function isInto({ base, versions }: ComposedFile, own: number): boolean {
  const nodes = versions.find(({ source }) => source === own)?.nodes ?? base
  return versions.every((version) => version.nodes.every((node, at) => sameNode(node, nodes[at] ?? null)))
}

/** Names exactly these versions of a file: another one is of other choices. */
export function fileFingerprint(
  { hashing }: Pick<CommandProject, 'hashing'>,
  { paths, base, versions, segments }: ComposedFile,
): string {
  return hashing.hash(new TextEncoder().encode(JSON.stringify([paths, base, versions, segments])))
}
