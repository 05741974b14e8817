import {
  type ComposedFile,
  composedFiles,
  composeTree,
  diffTrees,
  emptyTree,
  hunksOf,
  type Pace,
  type Tree,
} from '#overlay'
import { type Result, success } from '#shared/base/result.ts'
import type { CheckResult } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { branchSides } from '../../branches/branch-sides.ts'
import { minimise } from '../../checks/needed/minimise.ts'
import { findBranch } from '../branches.ts'
import { type CommandError, type CommandProject, type Decided, refuse, write } from '../command.ts'

/** A part of a branch's change that can be taken away alone. */
export interface ChangePart {
  readonly path: VirtualPath
  /** From 0, among those of the file. Null for a file that can be taken away only as a whole. */
  readonly hunk: number | null
  /** Its lines on the branch. Empty for a whole file, and where lines were only removed. */
  readonly text: string
}

export interface Needed {
  readonly branchId: BranchId
  readonly parts: readonly ChangePart[]
  /** Positions of the parts that the check needs. */
  readonly needed: readonly number[]
  /** The branch when the search began, and with the needed parts alone. */
  readonly before: Tree
  readonly after: Tree
}

export interface NeededRequest {
  readonly branchId: BranchId
  /** Says what the check says about a tree. A result that is known is no run. */
  run(tree: Tree): Promise<CheckResult>
  /** How far it is: parts that are left, of all. */
  onStep(left: number, of: number): void
}

/** Finds the smallest part of what a branch changed since its fork with which a check stays green. */
export async function findNeeded(
  project: CommandProject,
  { branchId, run, onStep }: NeededRequest,
  pace: Pace,
): Promise<Result<Needed, CommandError>> {
  const branch = findBranch(project, branchId)
  if (!branch.ok) return branch
  const { fork, theirs: before } = branchSides(project.log.trees, branch.value)
  const { base, blobs, hashing, textMerge } = project
  const trees = { base, blobs, hashing, fork, sources: [before] }
  const files = await composedFiles({ ...trees, textMerge, pace })
  const parts = files.flatMap(partsOf)
  if (parts.length === 0) return refuse('not_found', 'The branch changed nothing, so there is nothing to leave out.')
  const all = parts.map((_, index) => index)
  const treeOf = async (kept: readonly number[]): Promise<Tree | null> => {
    const made = await composeTree({ ...trees, onto: before, choices: choicesFor(files, parts, kept) })
    return made.ok ? made.value.tree : null
  }
  onStep(all.length, all.length)
  const whole = await run(before)
  if (whole.outcome !== 'green')
    return refuse(
      'refused',
      `The check ${whole.check} is ${whole.outcome} on the whole branch, so no part of it keeps it green.`,
    )
  const none = await treeOf([])
  if (none !== null && (await run(none)).outcome === 'green')
    return refuse(
      'refused',
      `The check ${whole.check} is green without the change too, so it cannot say what of it is needed. Name a check that is red without it.`,
    )
  let left = all.length
  const needed = await minimise(all, async (kept) => {
    onStep(left, all.length)
    const tree = await treeOf(kept)
    const isGreen = tree !== null && (await run(tree)).outcome === 'green'
    if (isGreen) left = kept.length
    return isGreen
  })
  onStep(left, all.length)
  return success({ branchId, parts, needed, before, after: (await treeOf(needed)) ?? before })
}

/** Takes off the branch what the check does not need. Refused when the branch has changed since. */
export function removeUnneeded({ log }: CommandProject, { branchId, before, after }: Needed): Decided {
  const threadId = log.state.branches.get(branchId)?.threadId
  if (threadId === undefined) return refuse('not_found', 'This branch does not exist in this project.')
  if ((log.trees.heads.get(branchId) ?? emptyTree) !== before)
    return refuse(
      'conflict',
      'The branch changed while the search went on. Search again: what is known is not run again.',
    )
  const patch = diffTrees(before, after)
  return write([{ type: 'branch.discarded', threadId, branchId, by: 'person', patch, whole: false }])
}

function partsOf({ path, versions, segments }: ComposedFile): readonly ChangePart[] {
  if (versions.some(({ whole }) => whole !== null)) return [{ path, hunk: null, text: '' }]
  return hunksOf(segments).map(({ changes }, hunk) => ({ path, hunk, text: changes.map(({ text }) => text).join('') }))
}

function choicesFor(files: readonly ComposedFile[], parts: readonly ChangePart[], kept: readonly number[]) {
  const names = new Set(kept.map((index) => nameOf(parts[index])))
  return files.map((file) => {
    const own = parts.filter(({ path }) => path === file.path)
    const picks = own.map((part) => ({ from: names.has(nameOf(part)) ? [0] : [] }))
    const isWhole = own.some(({ hunk }) => hunk === null)
    const whole = picks[0]?.from[0] ?? null
    return { file, choice: isWhole ? ({ kind: 'whole', from: whole } as const) : ({ kind: 'hunks', picks } as const) }
  })
}

function nameOf(part: ChangePart | undefined): string {
  return `${part?.hunk} ${part?.path}`
}
