import type { ZodType } from 'zod'
import { askUserTool } from '../../tools/ask-user.ts'
import { schema as compact } from '../../tools/compact.ts'
import { schema as agentRequest, agentRequestTool } from '../../tools/delegate/agent-request.ts'
import { schema as attempts } from '../../tools/delegate/attempts.ts'
import { messageSchema, statusSchema, stopAgentSchema, waitSchema } from '../../tools/delegate/background-tools.ts'
import { schema as batchTask } from '../../tools/delegate/batch-task.ts'
import { discardSchema, mergeSchema } from '../../tools/delegate/branch-tools.ts'
import { spawnSchema, taskSchema } from '../../tools/delegate/subagent-tools.ts'
import { schema as fetchUrl } from '../../tools/fetch-url.ts'
import { fileTools } from '../../tools/files/file-tools.ts'
import { schema as presentPlan } from '../../tools/present-plan.ts'
import { inputSchema, listSchema, outputSchema, stopSchema } from '../../tools/processes/process-tools.ts'
import { schema as execute } from '../../tools/run/execute.ts'
import { schema as runChecks } from '../../tools/run/run-checks.ts'
import * as js from '../../tools/run/run-js.ts'
import * as python from '../../tools/run/run-python.ts'
import { schema as searchTools } from '../../tools/search-tools.ts'
import { readSchema, updateSchema, writeSchema } from '../../tools/todos.ts'
import type { Extensions } from '../types/extensions.ts'

/** Tools of the app take the same arguments in every thread. So an edit is checked without making the agent's tools. */
const builtIn: ReadonlyMap<string, ZodType> = new Map<string, ZodType>([
  ...[...fileTools, askUserTool].map(({ name, schema }) => [name, schema] as const),
  ...Object.entries({
    ...{
      execute,
      run_checks: runChecks,
      batch_task: batchTask,
      attempts,
      task: taskSchema,
      spawn_subagents: spawnSchema,
    },
    ...{
      agent_wait: waitSchema,
      agent_status: statusSchema,
      agent_message: messageSchema,
      agent_stop: stopAgentSchema,
    },
    ...{ compact, search_tools: searchTools, present_plan: presentPlan, fetch_url: fetchUrl },
    ...{ merge_subagent: mergeSchema, discard_subagent: discardSchema, [agentRequestTool]: agentRequest },
    ...{ run_js_code: js.codeSchema, run_js_file: js.fileSchema },
    ...{ run_python_code: python.codeSchema, run_python_file: python.fileSchema },
    ...{ read_todos: readSchema, write_todos: writeSchema, update_todo_status: updateSchema },
    ...{ process_output: outputSchema, process_input: inputSchema, process_stop: stopSchema, process_list: listSchema },
  }),
])

/** The arguments that a tool takes, of the app or of a server. Undefined for a tool that does not exist any more. */
export function argumentSchemaOf(tool: string, { tools }: Pick<Extensions, 'tools'>): ZodType | undefined {
  return builtIn.get(tool) ?? tools.find(({ name }) => name === tool)?.schema
}
