import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { FileChange } from '../model/branch.ts'
import type { BranchChecks, CheckDefinition, CheckResult, GreenQueueView } from '../model/check.ts'
import type { Bisect } from '../model/derived/bisect.ts'
import { branchId } from '../model/entry-parts.ts'
import type { BranchId, Sequence } from '../model/ids.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { projectId, virtualPath } from './primitives.ts'
import type { LineSource } from './views/files.ts'

const project = z.object({ projectId })
const branch = project.extend({ branchId })
const branchIds = z.array(branchId).max(10_000)
const names = z.array(z.string().min(1).max(200)).max(200)
const nothing = type<void>()

/** A check that the folder calls for, such as its tests. It never runs before a person accepted it. */
export interface CheckProposal extends CheckDefinition {
  /** The file that it was made from, such as `/package.json`. */
  readonly source: string
}

export interface ChecksView {
  readonly checks: readonly CheckDefinition[]
  /** What is wrong with definitions, each as a sentence with file and line. The others work. */
  readonly problems: readonly string[]
  /** Empty when checks are set, or when the person declined. */
  readonly proposals: readonly CheckProposal[]
}

/** A step that a search found, with who made it. */
export interface BrokenStep extends LineSource {
  /** The branch as it was before the step, for whoever compares. */
  readonly before: Sequence
  /** What it changed on its own branch. */
  readonly files: readonly FileChange[]
  /** The merge that brought it to the branch of the search. Null for a step of that branch itself. */
  readonly mergedBy: Sequence | null
  /** The last checkpoint of the searched branch's thread before the step, or before the merge that brought it. Null for none. */
  readonly checkpoint: Sequence | null
}

/** A search for the step that broke a check, with the steps that it names. */
export interface BisectView extends Bisect {
  /** The step that broke it. For `between` the first and the last of those that may have. Empty for the rest. */
  readonly found: readonly BrokenStep[]
}

/** A part of a branch's change, and whether a check needs it. */
export interface NeededPart {
  readonly path: VirtualPath
  /** From 0, among those of the file. Null for a file that can be left out only as a whole. */
  readonly hunk: number | null
  /** Its lines on the branch. Empty for a whole file, and where lines were only removed. */
  readonly text: string
  readonly needed: boolean
}

/** A search for the smallest part of a branch's change with which a check stays green. */
export interface NeededView {
  readonly branchId: BranchId
  readonly check: string
  /** How many parts the change has. 0 before they are known. */
  readonly of: number
  /** How many are left with which the check is green. */
  readonly left: number
  /** How often the check ran. What stored results say costs no run. */
  readonly runs: number
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** Null while it runs. */
  readonly end:
    | { readonly kind: 'found'; readonly parts: readonly NeededPart[] }
    | { readonly kind: 'cancelled' }
    /** It cannot say: the check is red on the whole change, or green without it. `message` is for a person. */
    | { readonly kind: 'refused'; readonly message: string }
    | null
  /** True while the branch is as it was searched, and something of it is not needed. */
  readonly canRemove: boolean
}

/** What a person may do about the project's checks. */
export const checkCommands = {
  list: oc.input(project).output(type<ChecksView>()),
  /** Stores these checks in the person's own settings, for this folder. Empty declines the proposals. */
  accept: oc
    .input(
      project.extend({
        checks: z
          .array(
            z.object({
              name: z.string().trim().min(1).max(200),
              run: z.string().trim().min(1).max(10_000),
              required: z.boolean(),
            }),
          )
          .max(50),
      }),
    )
    .output(nothing),
  ofBranches: oc.input(project.extend({ branchIds })).output(type<readonly BranchChecks[]>()),
  /**
   * What is known about exactly the tree that an apply or an export of these paths writes: the checks for *apply*. Null
   * paths mean all changes. Nothing runs.
   */
  ofTree: oc
    .input(branch.extend({ paths: z.array(virtualPath).min(1).max(100_000).nullable() }))
    .output(type<BranchChecks>()),
  /** Starts checks of a branch that have no result for its tree. `again` runs them all the same. Resolves at once. */
  run: oc
    .input(branch.extend({ names: names.nullable().default(null), again: z.boolean().default(false) }))
    .output(nothing),
  cancel: oc.input(branch).output(nothing),
  /** The result that an entry stored, with its output. */
  result: oc.input(project.extend({ sequence: z.int().positive() })).output(type<CheckResult>()),
  /** Starts to merge branches in this order, each when the checks pass on the merged tree. Joins a running queue. */
  mergeGreen: oc.input(project.extend({ branchIds })).output(nothing),
  /** The last queue of the project; null when there was none. */
  queue: oc.input(project).output(type<GreenQueueView | null>()),
  /**
   * Starts to search for the step that broke a check on a branch. Results of equal trees are not run again, so a search that was
   * stopped goes on where it was. Resolves at once. `isFlaky` asks about each state several times.
   */
  bisect: oc
    .input(branch.extend({ check: z.string().min(1).max(200), isFlaky: z.boolean().default(false) }))
    .output(nothing),
  /** The search of a branch that runs or was the last since the app started. Null for none. */
  bisectOf: oc.input(branch).output(type<BisectView | null>()),
  cancelBisect: oc.input(branch).output(nothing),
  /**
   * Starts to search for the smallest part of a branch's change with which a check stays green. Results of equal trees are not run
   * again. Resolves at once.
   */
  needed: oc.input(branch.extend({ check: z.string().min(1).max(200) })).output(nothing),
  /** The search of a branch that runs or was the last since the app started. Null for none. */
  neededOf: oc.input(branch).output(type<NeededView | null>()),
  cancelNeeded: oc.input(branch).output(nothing),
  /** Takes off the branch what the last search found to be not needed. Refused when the branch has changed since. */
  removeUnneeded: oc.input(branch).output(type<{ readonly sequence: Sequence | null }>()),
  /** Takes branches out of the queue. What is merged stays merged. Null for all of them. */
  cancelMerges: oc.input(project.extend({ branchIds: branchIds.nullable() })).output(nothing),
}
