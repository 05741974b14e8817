import { z } from 'zod'
import type { Handle } from '#shared/model/ids.ts'
import type { BranchMerges } from '../branches/branch-merges.ts'
import { pathList } from './path-arguments.ts'
import { failedOutput, jsonOutput, type Tool } from './tool.ts'

const handle = z.string().min(1)
const schema = z.object({
  handle: z.union([handle, z.array(handle).min(1)]).describe('A handle such as subagent_0, or a list of them.'),
  paths: pathList.optional().describe('Only these paths of the branch; all when left out.'),
  force: z.boolean().default(false).describe("Take the branch's version where both sides changed a file."),
  strategy: z
    .enum(['refuse', 'three_way'])
    .default('refuse')
    .describe('three_way joins texts whose changes do not overlap.'),
})

/** `merge_subagent`: joins a subagent's branch into the caller's, path by path. */
export function createMergeSubagentTool(merges: BranchMerges): Tool<z.infer<typeof schema>> {
  return {
    name: 'merge_subagent',
    description:
      "Merges what a subagent changed on its branch into your files. Paths that both sides changed are conflicts: they are refused and listed, unless strategy is three_way (joins texts that do not overlap) or force is true (the subagent's version wins). The handle stays valid, so other paths can be merged later; merging twice is harmless.",
    schema,
    effect: 'overlay',
    async run({ handle: given, paths, force, strategy }, { threadId }) {
      const handles = (Array.isArray(given) ? given : [given]) as Handle[]
      const merge = await merges.merge(threadId, handles, { paths: paths ?? null, force, strategy })
      return merge.ok ? { ...jsonOutput(merge.value.result), entries: merge.value.entries } : failedOutput(merge.error)
    },
  }
}
