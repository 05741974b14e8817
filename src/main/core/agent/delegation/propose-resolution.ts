import type { Branch } from '#shared/model/branch.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { commitAlways } from '../../journal/project-log.ts'
import { generalPurpose } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'
import { forkDrafts, plannedTask } from './subagents.ts'

/** A text file that two sides changed. The parent's version is on the agent's own branch. */
export interface TextConflict {
  readonly path: VirtualPath
  /** The last common version; null when there is none. */
  readonly base: string | null
  /** The branch's version. */
  readonly theirs: string
}

/** Characters of both versions. More would fill the context of most models. */
const longest = 120_000

/** Why no agent can be asked about the conflict, in a sentence for a person; null when one can. */
export function proposalProblem({ path, base, theirs }: TextConflict): string | null {
  const characters = (base ?? '').length + theirs.length
  return characters > longest
    ? `${path} is too long to be given to an agent (${characters} characters, at most ${longest}). Decide it by hand.`
    : null
}

/**
 * Stores a subagent on a fork of the branch into which the conflict would merge. What it writes is only a proposal: a
 * person takes it into the result, or not. Returns the subagent, which does not run yet.
 */
export function forkForProposal(services: AgentServices, branch: Branch, conflict: TextConflict): ThreadId {
  const { log, ids } = services
  const into = branch.parentId === null ? undefined : log.state.branches.get(branch.parentId)
  const parent = into && log.state.threads.get(into.threadId)
  if (!parent) throw new Error(`The branch ${branch.id} merges into nothing`)
  const { path } = conflict
  const resolves = { branchId: branch.id, path }
  const call = { threadId: parent.id, callId: `resolve_${ids.next()}` as ToolCallId }
  const task = { task: taskFor(conflict, branch.name), subagentType: generalPurpose.name, name: null, todoIndex: null }
  const tasks = [plannedTask(services, parent, task)] as const
  commitAlways(log, forkDrafts({ state: log.state, parent, call, tasks, resolves, nextId: () => ids.next() }))
  const made = log.state.children.get(parent.id)?.at(-1)
  if (!made) throw new Error('The fork stored no subagent')
  return made
}

function taskFor({ path, base, theirs }: TextConflict, incoming: string): string {
  const versions = [
    ...(base === null ? [] : [`The version that both sides began with:\n\n${fence(base)}`]),
    `The incoming version, by ${incoming}:\n\n${fence(theirs)}`,
  ]
  return `Resolve a conflict in ${path}.

Two sides changed the same lines of this file. Your files hold the current version: read it at ${path}. Then write the whole file there, so that it keeps what both sides wanted. Where that is not possible, keep the better one. Change no other file and leave no conflict markers. End with one or two sentences about what you kept.

${versions.join('\n\n')}`
}

function fence(text: string): string {
  const longestRun = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longestRun + 1)
  return `${fence}\n${text}\n${fence}`
}
