import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { FileChange } from '../model/branch.ts'
import type { BranchChecks } from '../model/check.ts'
import type { FileChoice } from '../model/compose/composition.ts'
import { branchId } from '../model/entry-parts.ts'
import type { ThreadId } from '../model/ids.ts'
import { projectId, virtualPath } from './primitives.ts'
import type { MergeReceipt, PatchExport } from './views/branches.ts'
import type { CompositionFile, CompositionView } from './views/compositions.ts'

const source = z.int().min(0).max(100)
const text = z.string().max(20_000_000)
const sequence = z.int().positive()
const pick = z.union([z.strictObject({ from: z.array(source).max(100) }), z.strictObject({ text })])
const choice: z.ZodType<FileChoice, FileChoice> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('whole'), from: source.nullable() }),
  z.object({ kind: z.literal('hunks'), picks: z.array(pick).max(20_000) }),
  z.object({ kind: z.literal('text'), text }),
])
/** Branches as they are now, or as they were after an entry, and the branch that gets what is chosen of them. */
const composition = z.object({
  projectId,
  into: branchId,
  sources: z
    .array(z.object({ branchId, sequence: sequence.nullable() }))
    .min(1)
    .max(50),
})
/** Files that are left out stay as they are in the branch. Fails as `CONFLICT` when a file changed since it was shown. */
const composed = composition.extend({
  files: z.array(z.object({ path: virtualPath, fingerprint: z.string().min(1).max(200), choice })).max(100_000),
})
const names = z.array(z.string().min(1).max(200)).max(200)

/** Composing one tree of what several branches made, file by file and hunk by hunk. */
export const compositionCommands = {
  /** Every file that a source changed, with what evidence speaks for. */
  read: oc.input(composition).output(type<CompositionView>()),
  file: oc.input(composition.extend({ path: virtualPath })).output(type<CompositionFile>()),
  /** What storing would change in the branch. Stores nothing. */
  preview: oc.input(composed).output(type<readonly FileChange[]>()),
  /** The git patch of what was chosen, against what all began with. The heading of each hunk names its sources. */
  exportPatch: oc.input(composed).output(type<PatchExport>()),
  /** What is known about exactly the composed tree. Nothing runs. */
  checks: oc.input(composed).output(type<BranchChecks>()),
  /** Starts the checks that have no result for the composed tree. Resolves at once; `checks.cancel` of the branch ends them. */
  runChecks: oc
    .input(composed.extend({ names: names.nullable().default(null), again: z.boolean().default(false) }))
    .output(type<void>()),
  /** Stores the composition in the branch as one entry, which `branches.undo` takes back. */
  store: oc.input(composed).output(type<MergeReceipt>()),
  /** Starts a subagent that proposes a text which joins all versions of a file, on a branch of its own. */
  askToJoin: oc.input(composition.extend({ path: virtualPath })).output(type<{ readonly threadId: ThreadId }>()),
}
