import type { Tree } from '#overlay'
import type { Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { fileAccess } from '../../approval/file-policy.ts'
import type { ToolContext } from '../../tools/tool.ts'
import { policyOf } from '../runtime/agent-policy.ts'
import { openWorkspace } from '../runtime/open-workspace.ts'
import { definitionOf } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'

/** Who starts a process, and what it sees. */
export interface Starter extends Pick<ToolContext, 'threadId' | 'access' | 'branch' | 'files' | 'hosts' | 'signal'> {
  /** Null for a person. */
  readonly callId: ToolCallId | null
  /** For a command over a branch that was put away, as it was after an entry. Absent for any other. */
  readonly last?: { readonly at: Sequence; readonly timeoutMs: number }
}

/**
 * A person starts a process in a branch. It sees what the commands of the branch's agent see, because that agent reads what
 * it prints. What it changes counts as approved.
 */
export function starterFor(services: AgentServices, threadId: ThreadId, tree: Tree): Starter {
  const thread = services.log.state.threads.get(threadId)
  if (!thread) throw new Error(`There is no thread ${threadId}.`)
  const policy = policyOf(services, definitionOf(services.extensions.current(), thread.agentType))
  const { signal } = new AbortController()
  const access = fileAccess(policy, true)
  const workspace = openWorkspace(services, threadId, { access, tree, written: [], signal })
  return { threadId, callId: null, access, branch: workspace.branch, files: workspace.files, hosts: [], signal }
}
