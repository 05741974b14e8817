import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { FileChange } from '../model/branch.ts'
import type { Drift } from '../model/drift.ts'
import { branch, hunks, paths, virtualPath } from './primitives.ts'
import type { ApplyPlan, ApplyReceipt, ConflictSides, LeftInGit, PatchExport } from './views/branches.ts'
import type { FileBlame, FileDiff, FileVersions } from './views/files.ts'

const nothing = type<void>()

const driftChoice = z.union([
  z.object({ path: virtualPath, keep: z.enum(['both', 'ours', 'theirs']) }),
  z.object({ path: virtualPath, text: z.string().max(20_000_000) }),
])
/** What a person saw of each file. When one has changed since, the command fails as `CONFLICT` and does nothing. */
const expected = z.array(z.object({ path: virtualPath, identity: z.string().max(1000) })).max(100_000)

/** What a person may do with the changes of a branch against the folder. */
export const changeCommands = {
  list: oc.input(branch).output(type<readonly FileChange[]>()),
  diff: oc.input(branch.extend({ path: virtualPath })).output(type<FileDiff>()),
  /**
   * Where each line of a text file of the branch comes from. Fails as `NOT_FOUND` where there is no file, and as `REFUSED` for one
   * that is no text or too large.
   */
  blame: oc.input(branch.extend({ path: virtualPath })).output(type<FileBlame>()),
  /** Both versions of a changed file as bytes. */
  versions: oc.input(branch.extend({ path: virtualPath })).output(type<FileVersions>()),
  /** What agents left in git of the branch's views, which no patch has. */
  leftInGit: oc.input(branch).output(type<LeftInGit>()),
  revert: oc
    .input(branch.extend({ paths: z.array(virtualPath).min(1).max(100_000) }))
    .output(type<{ readonly sequence: number }>()),
  /** Resets chosen hunks of `changes.diff` to the base. `branches.undo` undoes that. */
  revertHunks: oc.input(hunks).output(type<{ readonly sequence: number }>()),
  /**
   * Takes what one entry did, on this branch or on one that was merged into it, off the branch. `branches.undo` undoes that.
   * Fails as `CONFLICT` where later changes stand on it.
   */
  undoStep: oc.input(branch.extend({ sequence: z.int().positive() })).output(type<{ readonly sequence: number }>()),
  exportPatch: oc.input(branch.extend({ paths })).output(type<PatchExport>()),
  planApply: oc.input(branch.extend({ paths })).output(type<ApplyPlan>()),
  /** `along` is what the person saw of the files that are written together with those of `expected`. */
  apply: oc
    .input(branch.extend({ paths, expected: expected.optional(), along: expected.optional() }))
    .output(type<ApplyReceipt>()),
  /** Restores what was written so far. The running `apply` fails as `CANCELLED`, unless it had already finished. */
  cancelApply: oc.input(branch).output(nothing),
  /**
   * Compares every file that the branch's agent read or changed with the disk. From then on, `drift.changed` reports
   * changes.
   */
  drift: oc.input(branch).output(type<readonly Drift[]>()),
  /**
   * The pinned base, the workspace's version and the disk's version of a path that changed in the workspace and on
   * disk.
   */
  diskConflict: oc.input(branch.extend({ path: virtualPath })).output(type<ConflictSides>()),
  /**
   * Decides paths that changed in the workspace and on disk, all of them or none: both changes joined, the workspace's
   * version, the disk's, or a person's text. Nothing is written to the disk. `branches.undo` takes all of it back.
   */
  settleDrift: oc
    .input(branch.extend({ choices: z.array(driftChoice).min(1).max(100_000) }))
    .output(type<{ readonly sequence: number }>()),
  undoApply: oc.input(branch.extend({ sequence: z.int().positive() })).output(nothing),
}
