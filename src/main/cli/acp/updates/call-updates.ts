import type { ContentBlock, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { changedTexts, diskPath } from '#host/headless/shown-changes.ts'
import type { Project } from '#host/project/project.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { ToolResult } from '#shared/model/message.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { accessOf, findToolFacts, pathsOf, type ToolName } from '#shared/tools/tool-facts.ts'
import { describeCall } from '#shared/tools/tool-labels.ts'
import { endOfText } from './shown-text.ts'

/** What an editor draws a call as. */
const kinds: Readonly<Record<ToolName, ToolKind>> = {
  ...{ ls: 'search', glob: 'search', grep: 'search', read_file: 'read', read_todos: 'read', process_output: 'read' },
  search_tools: 'search',
  fetch_url: 'fetch',
  ...{ write_file: 'edit', edit_file: 'edit', multi_edit: 'edit', delete: 'delete', move: 'move' },
  ...{ execute: 'execute', process_input: 'execute', process_stop: 'execute', process_list: 'read' },
  ...{ run_js_code: 'execute', run_js_file: 'execute', run_python_code: 'execute', run_python_file: 'execute' },
  ...{ run_checks: 'execute', write_todos: 'think', update_todo_status: 'think', compact: 'think' },
  ...{ task: 'other', spawn_subagents: 'other', batch_task: 'other', attempts: 'other', ask_user: 'other' },
  present_plan: 'switch_mode',
  ...{ agent_wait: 'other', agent_status: 'read', agent_message: 'other', agent_stop: 'other' },
  ...{ merge_subagent: 'edit', discard_subagent: 'delete' },
  ...{ agent_read: 'read', agent_edit: 'edit', agent_command: 'execute', agent_fetch: 'fetch', agent_call: 'other' },
}

export function kindOf(name: string): ToolKind {
  return Object.hasOwn(kinds, name) ? kinds[name as ToolName] : 'other'
}

/** The id of a call in the session. Calls of different agents may have the same one of their own. */
export function callIdOf(root: ThreadId, threadId: ThreadId, callId: ToolCallId): string {
  return threadId === root ? callId : `${threadId}/${callId}`
}

/** A call in one line, with the name of its agent if that is a subagent. */
export function titleOf(subagent: string | null, name: string, input: JsonObject): string {
  const { verb, object } = describeCall(name, input)
  const line = `${verb} ${object}`.trim()
  return subagent === null ? line : `${subagent}: ${line}`
}

/** The files and folders that a call names, as they lie on this machine. */
export function locationsOf(project: Project, name: string, input: JsonObject): ToolCallLocation[] {
  return locate(project, pathsOf(accessOf(findToolFacts(name).access, input)))
}

export function locate(project: Project, paths: readonly VirtualPath[]): ToolCallLocation[] {
  return paths.flatMap((path) => {
    const place = diskPath(project, path)
    return place === null ? [] : [{ path: place }]
  })
}

/** What a change did to the files of the project, file by file. */
export function diffsOf(project: Project, patch: Patch): readonly ToolCallContent[] {
  return changedTexts(project, patch).flatMap(({ path, before, after }) => {
    const place = diskPath(project, path)
    return place === null ? [] : [{ type: 'diff', path: place, oldText: before, newText: after ?? '' } as const]
  })
}

/** What came of a call, as its agent reads it. The end of a long text. */
export function resultContent({ content }: ToolResult): readonly ToolCallContent[] {
  return content.flatMap((part): readonly ToolCallContent[] => {
    if (part.type === 'image') return [asContent({ type: 'image', data: part.data, mimeType: part.mediaType })]
    return part.text.trim() === '' ? [] : [textContent(part.text)]
  })
}

export function textContent(text: string): ToolCallContent {
  return asContent({ type: 'text', text: endOfText(text) })
}

function asContent(content: ContentBlock): ToolCallContent {
  return { type: 'content', content }
}
