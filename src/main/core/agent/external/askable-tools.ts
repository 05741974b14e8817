import { accessOf } from '#shared/tools/tool-facts.ts'
import type { Prefixes } from '../../tools/namespace/prefixes.ts'
import { failedOutput, type Tool } from '../../tools/tool.ts'

/** It has files of the project itself, and no other way to memories and to results of batches. */
const besideTools: readonly string[] = ['ls', 'read_file', 'grep', 'write_file', 'edit_file', 'delete']

/** The tools of ours that an external agent may call: those that it does not have itself. */
const askable: ReadonlySet<string> = new Set([
  ...['task', 'spawn_subagents', 'batch_task', 'attempts'],
  ...['merge_subagent', 'discard_subagent'],
  ...['agent_wait', 'agent_status', 'agent_message', 'agent_stop'],
  ...['write_todos', 'read_todos', 'update_todo_status', 'ask_user', 'run_checks'],
  ...besideTools,
])

/** The name under which agents know the server of our tools. */
export const serverName = 'coppice'

export const toolInstructions =
  'Coppice runs you on a private branch of the project and gives you these tools. spawn_subagents, task and batch_task start agents that work in parallel, each on its own fork of your files as they are now, at no cost for the copy. attempts lets several try one task and says by the project’s checks which is best. Their changes reach your files only by merge_subagent (task merges what is clean by itself). run_checks runs the project’s own checks. write_todos shows the person your plan, and ask_user asks them. The file tools here are for memories and results beside the project; use your own for the project.'

export function isAskable(tool: string): boolean {
  return askable.has(tool)
}

/** A tool as an external agent may call it: one for files reaches only those beside the project. */
export function askableTool<Arguments, Data>(tool: Tool<Arguments, Data>, prefixes: Prefixes): Tool<Arguments, Data> {
  if (!besideTools.includes(tool.name)) return tool
  const places = Object.values(prefixes)
  const reason = `Only for paths below ${places.join(', ')}: use your own tools for files of the project.`
  const refused = (args: Arguments) => {
    const { reads, writes, lists } = accessOf(tool.access, args as Parameters<typeof accessOf>[1])
    const named = [...reads, ...writes, ...lists]
    const isBeside = (path: string) => places.some((place) => `${path}/`.startsWith(place))
    // A search without a path is one of the whole project.
    return named.length > 0 && named.every(isBeside) ? undefined : failedOutput(reason)
  }
  const { preview } = tool
  return {
    ...tool,
    description: `${reason} ${tool.description}`,
    run: async (args, context) => refused(args) ?? tool.run(args, context),
    ...(preview && { preview: async (args, context) => refused(args) ?? preview(args, context) }),
  }
}
