import { z } from 'zod'
import type { MergeResult } from '#shared/model/branch.ts'
import type { Handle } from '#shared/model/ids.ts'
import type { Subagents } from '../agent/subagents.ts'
import type { BranchMerges } from '../branches/branch-merges.ts'
import { describeTypes, forkTasks, subagentType, todoIndex } from './subagent-arguments.ts'
import type { TodoList } from './todo-list.ts'
import { failedOutput, jsonOutput, type Tool, type ToolOutput } from './tool.ts'

const schema = z.object({
  description: z.string().min(1).describe('The complete task: the subagent does not see this conversation.'),
  subagent_type: subagentType,
  todo_index: todoIndex,
})
type Arguments = z.infer<typeof schema>

/** `task`: one subagent on its own fork; what merges cleanly is merged when it is done, the rest stays on its branch. */
export function createTaskTool(subagents: Subagents, merges: BranchMerges, todos: TodoList): Tool<Arguments> {
  return {
    name: 'task',
    description: `Delegates one task to a subagent that works on a private fork of your files and reports back. What it changed is merged when it is clean; conflicting paths stay on its branch for merge_subagent. Several task calls in one reply run in parallel. ${describeTypes(subagents.types)}`,
    schema,
    effect: 'agents',
    async run({ description, subagent_type, todo_index }, { threadId, callId, signal }) {
      const planned = [{ task: description, subagentType: subagent_type, name: null, todoIndex: todo_index ?? null }]
      const forked = forkTasks(subagents, todos, { threadId, callId }, planned)
      if (!forked.ok) return failedOutput(forked.error)
      const [outcome] = await subagents.run(threadId, forked.value, signal)
      if (!outcome) throw new Error('A forked subagent gave no outcome')
      const { handle, result, error, diff } = outcome
      return error === null
        ? jsonOutput({ handle, result, diff })
        : failedOutput(JSON.stringify({ handle, error, diff }))
    },
    async conclude(output, { threadId }) {
      const report = JSON.parse(textOfOutput(output)) as { handle: Handle }
      const merge = await merges.merge(threadId, [report.handle], { paths: null, force: false, strategy: 'refuse' })
      if (!merge.ok) return failedOutput(merge.error)
      return {
        ...jsonOutput({ ...report, merge: merge.value.result satisfies MergeResult }),
        entries: merge.value.entries,
      }
    },
  }
}

function textOfOutput(output: ToolOutput): string {
  return output.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
