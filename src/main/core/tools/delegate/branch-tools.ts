import { z } from 'zod'
import type { Handle } from '#shared/model/ids.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import { pathList } from '../files/file-tool.ts'
import { type AgentChecks, checkRecord } from '../run/run-checks.ts'
import { failedOutput, jsonOutput, type Tool } from '../tool.ts'

const handle = z.string().min(1)
export const mergeSchema = z.object({
  handle: z.union([handle, z.array(handle).min(1)]).describe('A handle such as subagent_0, or a list of them.'),
  paths: pathList.optional().describe('Only these paths of the branch; all when left out.'),
  force: z.boolean().default(false).describe("Take the branch's version where both sides changed a file."),
  strategy: z
    .enum(['refuse', 'three_way'])
    .default('refuse')
    .describe('three_way joins texts whose changes do not overlap.'),
  when: z
    .enum(['now', 'green'])
    .default('now')
    .describe("green first runs the project's checks on the merged files, and merges nothing when one is not green."),
})
type MergeArguments = z.infer<typeof mergeSchema>

/** `merge_subagent`: merges a subagent's branch into the caller's, path by path. */
export function createMergeSubagentTool(merges: BranchMerges, checks: AgentChecks): Tool<MergeArguments> {
  const run: Tool<MergeArguments>['run'] = async (args, { threadId, signal }) => {
    const { handle: given, paths, force, strategy, when } = args
    const handles = (Array.isArray(given) ? given : [given]) as Handle[]
    for (let plans = 0; plans < mostPlans; plans += 1) {
      const merge = await merges.merge(threadId, handles, { paths: paths ?? null, force, strategy })
      if (!merge.ok) return failedOutput(merge.error)
      const { result, entries, before, tree } = merge.value
      if (when === 'now' || entries.length === 0) return { ...jsonOutput(result), entries }
      const checked = await checks.run({ names: null, tree, on: 'merge' }, signal)
      if (!checked.ok) return failedOutput(`Nothing was merged. ${checked.error}`)
      const said = { checks: checked.value.map(checkRecord) }
      if (checks.listFailed(checked.value).length > 0)
        return jsonOutput({ ...result, written: [], deleted: [], renamed: [], merged: [], ...said, note: notGreen })
      if (merge.value.isCurrent()) return { ...jsonOutput({ ...result, ...said }), entries, judgedOn: before }
    }
    return failedOutput('Your files kept changing while the checks ran, so nothing was merged. Try again.')
  }
  return {
    ...toolFacts.merge_subagent,
    description:
      "Merges what a subagent changed on its branch into your files. Paths that both sides changed are conflicts: they are refused and listed, unless strategy is three_way (joins texts that do not overlap) or force is true (the subagent's version wins). The handle stays valid, so other paths can be merged later; merging twice is harmless.",
    schema: mergeSchema,
    // A card shows the change; the checks run when it is made.
    preview: (args, context) => run({ ...args, when: 'now' }, context),
    run,
  }
}

/** How often a merge is planned again because its target changed while the checks ran. */
const mostPlans = 3
const notGreen = 'Nothing was merged, because a required check is not green on the merged files.'

export const discardSchema = z.object({
  handle: z.string().min(1).describe('A handle such as subagent_0.'),
  paths: pathList.optional().describe('Only these paths; the whole branch when left out.'),
})

/** `discard_subagent`: drops the changes of a branch. A person can restore them for seven days. */
export function createDiscardSubagentTool(merges: BranchMerges): Tool<z.infer<typeof discardSchema>> {
  return {
    ...toolFacts.discard_subagent,
    description:
      "Drops a subagent's branch, or only the given paths of it. What was merged before stays merged. Use it for work that is wrong or no longer needed.",
    schema: discardSchema,
    async run({ handle, paths }, { threadId }) {
      const discard = merges.discard(threadId, handle as Handle, paths ?? null)
      return discard.ok ? { ...jsonOutput({ discarded: handle }), entries: discard.value } : failedOutput(discard.error)
    },
  }
}
