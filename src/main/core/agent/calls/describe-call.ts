import type { JsonObject, JsonValue } from '#shared/base/json.ts'

import { batchTasks, batchTool } from '#shared/model/batch.ts'

/** One sentence for the approval card: what would happen. The card shows the exact arguments beside it. */
export function describeCall(tool: string, args: JsonObject): string {
  switch (tool) {
    case 'execute':
      return 'Run a command in a throw-away view of the branch.'
    case 'ask_user':
      return shown(args.question)
    case 'write_file':
      return `Write ${shown(args.file_path)}.`
    case 'edit_file':
    case 'multi_edit':
      return `Edit ${shown(args.file_path)}.`
    case 'delete':
      return `Delete ${shown(args.path)}.`
    case 'move':
      return `Move ${shown(args.from)} to ${shown(args.to)}.`
    case 'read_file':
      return `Read ${shown(args.file_path)}.`
    case batchTool:
      return `Run ${batchTasks(args).length} tasks, each by a subagent on a branch of its own.`
    default:
      return `Call ${tool}.`
  }
}

function shown(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
