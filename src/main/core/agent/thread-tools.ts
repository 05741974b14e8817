import { z } from 'zod'
import type { JsonObject } from '#shared/base/json.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import type { BranchMerges } from '../branches/branch-merges.ts'
import type { ToolSpec } from '../ports/model-client.ts'
import { askUserTool } from '../tools/ask-user.ts'
import { createDiscardSubagentTool } from '../tools/discard-subagent.ts'
import { createExecuteTool } from '../tools/execute.ts'
import { fileTools } from '../tools/file-tools.ts'
import { createMergeSubagentTool } from '../tools/merge-subagent.ts'
import { createReadTodosTool } from '../tools/read-todos.ts'
import { createRunJsCodeTool, createRunJsFileTool } from '../tools/run-js.ts'
import { createSpawnSubagentsTool } from '../tools/spawn-subagents.ts'
import { createTaskTool } from '../tools/task.ts'
import type { TodoList } from '../tools/todo-list.ts'
import type { Tool } from '../tools/tool.ts'
import { createUpdateTodoStatusTool } from '../tools/update-todo-status.ts'
import { createWriteTodosTool } from '../tools/write-todos.ts'
import type { AgentServices } from './services.ts'
import type { Subagents } from './subagents.ts'

/** The tools of one thread, in the order the model sees them; fixed for the thread's life. */
export function threadTools(
  services: AgentServices,
  threadId: ThreadId,
  subagents: Subagents,
  merges: BranchMerges,
): readonly Tool[] {
  const thread = services.log.state.threads.get(threadId)
  if (!thread) throw new Error(`No thread ${threadId}`)
  const { maxSubagentDepth } = services.settings()
  const limits = () => services.settings().runner
  const todos = todoList(services, threadId)
  return [
    ...(thread.parent === null ? [erased(createWriteTodosTool(todos))] : []),
    erased(createReadTodosTool(todos)),
    erased(createUpdateTodoStatusTool(todos)),
    ...fileTools,
    erased(createExecuteTool(services.shell, services.blobs)),
    erased(createRunJsCodeTool(services.runner, limits)),
    erased(createRunJsFileTool(services.runner, limits)),
    ...(thread.depth < maxSubagentDepth
      ? [
          erased(createTaskTool(subagents, merges, todos)),
          erased(createSpawnSubagentsTool(subagents, todos)),
          erased(createMergeSubagentTool(merges)),
          erased(createDiscardSubagentTool(merges)),
        ]
      : []),
    erased(askUserTool),
  ]
}

/** Forgets the arguments' type: the loop gives `run` only what the tool's own schema has parsed. */
function erased<Arguments>(tool: Tool<Arguments>): Tool {
  return tool as unknown as Tool
}

function todoList(services: AgentServices, threadId: ThreadId): TodoList {
  const owner = rootThreadOf(services.log.state, threadId)
  return {
    read: () => services.log.state.threads.get(owner)?.todos ?? [],
    entry: (todos) => ({ type: 'todos.written', threadId: owner, todos, by: 'agent' }),
  }
}

export function toolSpec(tool: Tool): ToolSpec {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonObject
  return { name: tool.name, description: tool.description, inputSchema }
}
