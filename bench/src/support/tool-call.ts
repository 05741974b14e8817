import { fileAccess } from '../../../src/main/core/approval/file-policy.ts'
import { driftUnder } from '../../../src/main/core/branches/drift.ts'
import type { Search } from '../../../src/main/core/ports/search.ts'
import { createToolFiles } from '../../../src/main/core/tools/namespace/composite-files.ts'
import type { Tool, ToolContext } from '../../../src/main/core/tools/tool.ts'
import type { ToolCallId } from '../../../src/shared/model/ids.ts'
import { draftOf, type Workspace } from './workspace.ts'

/** The context that the loop gives a call: the branch as it is now, with its own overlay transaction. */
export function toolContext(workspace: Workspace, search: Search = workspace.project.services.search): ToolContext {
  const { project, threadId } = workspace
  const { services } = project
  const branch = draftOf(workspace)
  const access = fileAccess({ ...services.settings().policy, sandboxed: true })
  return {
    threadId,
    callId: 'call' as ToolCallId,
    agent: 'bench',
    files: createToolFiles({
      ...services,
      search,
      access,
      transaction: branch,
      rootThreadId: threadId,
      memory: { project: () => services.log.state.memories, user: () => services.userMemories.current() },
    }),
    branch,
    access,
    reads: new Map(),
    disk: new Map(),
    drift: (path) => driftUnder(services, branch, path),
    hosts: [],
    signal: new AbortController().signal,
    onOutput: () => undefined,
  }
}

/**
 * Runs a call as the loop does, and checks its arguments with the tool's own schema. Returns the text of the result.
 */
export async function callTool<Arguments>(
  workspace: Workspace,
  tool: Tool<Arguments>,
  args: Readonly<Record<string, unknown>>,
  search?: Search,
): Promise<string> {
  const { ok, content } = await tool.run(tool.schema.parse(args), toolContext(workspace, search))
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  if (!ok) throw new Error(`${tool.name} failed: ${text}`)
  return text
}
