import type { ApprovalMode } from '#shared/model/thread.ts'
import type { AgentChoice } from '../../ports/programs/external-agent.ts'

/** Ids and names of modes in which an agent asks before it changes something, those that every agent means alike first. */
const asking = /^(default|ask|manual|normal|build|agent)$/i
const readOnly = /^read.?only$/i
/** It asks before it leaves the project, and changes the project's files unasked. */
const workspace = /^workspace.?write$/i

/**
 * The mode of the agent that fits ours: it plans in *Plan*, and in every other mode asks, so that our rules and our mode
 * decide. Ids count before names: one agent calls *Default* what edits without a question. An agent whose modes say how much
 * of the disk it may write has no mode that always asks: in *Ask* it may only read unasked, and in the others it asks for
 * what leaves the project. Its mode `agent` would have another model answer in the person's place. Undefined leaves the
 * agent as it is.
 */
export function wantedMode(mode: ApprovalMode, offered: readonly AgentChoice[]): AgentChoice | undefined {
  const find = (fits: RegExp, of: keyof AgentChoice) => offered.find((one) => fits.test(one[of]))
  if (mode === 'plan') return find(/^plan$/i, 'id') ?? find(readOnly, 'id') ?? find(/^(plan|read.?only)$/i, 'name')
  const byDisk = find(workspace, 'id')
  const byId = byDisk ?? find(asking, 'id')
  const isUnasked = byId === undefined || byId === byDisk
  return (mode === 'ask' && isUnasked ? find(readOnly, 'id') : undefined) ?? byId ?? find(asking, 'name')
}
