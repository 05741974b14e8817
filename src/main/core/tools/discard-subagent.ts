import { z } from 'zod'
import type { Handle } from '#shared/model/ids.ts'
import type { BranchMerges } from '../branches/branch-merges.ts'
import { pathList } from './path-arguments.ts'
import { failedOutput, jsonOutput, type Tool } from './tool.ts'

const schema = z.object({
  handle: z.string().min(1).describe('A handle such as subagent_0.'),
  paths: pathList.optional().describe('Only these paths; the whole branch when left out.'),
})

/** `discard_subagent`: drops what a branch changed; a person can restore it for seven days. */
export function createDiscardSubagentTool(merges: BranchMerges): Tool<z.infer<typeof schema>> {
  return {
    name: 'discard_subagent',
    description:
      "Drops a subagent's branch, or only the given paths of it. What was merged before stays merged. Use it for work that is wrong or no longer needed.",
    schema,
    effect: 'overlay',
    async run({ handle, paths }, { threadId }) {
      const discard = merges.discard(threadId, handle as Handle, paths ?? null)
      return discard.ok ? { ...jsonOutput({ discarded: handle }), entries: discard.value } : failedOutput(discard.error)
    },
  }
}
