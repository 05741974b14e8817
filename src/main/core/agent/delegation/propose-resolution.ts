import type { Branch } from '#shared/model/branch.ts'
import type { BranchId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { commitAlways } from '../../journal/project-log.ts'
import { generalPurpose } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'
import { forkDrafts, plannedTask } from './subagents.ts'

/** A text file that several sides changed. The version of the branch that gets it is on the agent's own branch. */
export interface TextConflict {
  readonly path: VirtualPath
  /** The last common version; null when there is none. */
  readonly base: string | null
  /** The versions of branches, each with the branch's name. */
  readonly versions: readonly { readonly name: string; readonly text: string }[]
}

/** A branch that changed the file, by which the window finds the proposal, and the branch that gets the result. */
export interface ProposalPlace {
  readonly branch: Branch
  readonly into: BranchId
}

/** Characters of all versions. More would fill the context of most models. */
const longest = 120_000

/** Why no agent can be asked about the conflict, in a sentence for a person; null when one can. */
export function proposalProblem({ path, base, versions }: TextConflict): string | null {
  const characters = versions.reduce((sum, { text }) => sum + text.length, (base ?? '').length)
  return characters > longest
    ? `${path} is too long to be given to an agent (${characters} characters, at most ${longest}). Decide it by hand.`
    : null
}

/**
 * Stores a subagent on a fork of the branch into which the conflict would merge. What it writes is only a proposal: a
 * person takes it into the result, or not. Returns the subagent, which does not run yet.
 */
export function forkForProposal(
  services: AgentServices,
  { branch, into }: ProposalPlace,
  conflict: TextConflict,
): ThreadId {
  const { log, ids } = services
  const owner = log.state.branches.get(into)
  const parent = owner && log.state.threads.get(owner.threadId)
  if (!parent) throw new Error(`There is no branch ${into}`)
  const { path } = conflict
  const resolves = { branchId: branch.id, path }
  const call = { threadId: parent.id, callId: `resolve_${ids.next()}` as ToolCallId }
  const task = { task: taskFor(conflict), subagentType: generalPurpose.name, name: null, todoIndex: null }
  const tasks = [plannedTask(services, parent, task)] as const
  commitAlways(log, forkDrafts({ state: log.state, parent, call, tasks, resolves, nextId: () => ids.next() }))
  const made = log.state.children.get(parent.id)?.at(-1)
  if (!made) throw new Error('The fork stored no subagent')
  return made
}

function taskFor({ path, base, versions }: TextConflict): string {
  const isOne = versions.length === 1
  const shown = [
    ...(base === null ? [] : [`The version that ${isOne ? 'both sides' : 'all'} began with:\n\n${fence(base)}`]),
    ...versions.map(({ name, text }) => `The ${isOne ? 'incoming ' : ''}version, by ${name}:\n\n${fence(text)}`),
  ]
  const who = isOne ? 'Two sides changed the same lines of this file.' : 'Several branches changed this file.'
  const sides = isOne ? 'both sides' : 'all of them'
  return `Resolve a conflict in ${path}.

${who} Your files hold the current version: read it at ${path}. Then write the whole file there, so that it keeps what ${sides} wanted. Where that is not possible, keep the ${isOne ? 'better one' : 'best one'}. Change no other file and leave no conflict markers. End with one or two sentences about what you kept.

${shown.join('\n\n')}`
}

function fence(text: string): string {
  const longestRun = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longestRun + 1)
  return `${fence}\n${text}\n${fence}`
}
