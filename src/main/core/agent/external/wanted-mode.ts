import type { ApprovalMode } from '#shared/model/thread.ts'
import type { AgentMode } from '../../ports/programs/external-agent.ts'

/** Ids and names of modes in which an agent asks before it changes something, those that every agent means alike first. */
const asking = /^(default|ask|manual|normal|build|agent)$/i
const readOnly = /^read.?only$/i

/**
 * The mode of the agent that fits ours: it plans in *Plan*, and in every other mode asks, so that our rules and our mode
 * decide. Ids count before names: one agent calls *Default* what edits without a question. In *Ask*, one that can only read
 * unasked is better than one that nobody knows. Undefined leaves the agent as it is.
 */
export function wantedMode(mode: ApprovalMode, offered: readonly AgentMode[]): AgentMode | undefined {
  const find = (fits: RegExp, of: keyof AgentMode) => offered.find((one) => fits.test(one[of]))
  if (mode === 'plan') return find(/^plan$/i, 'id') ?? find(readOnly, 'id') ?? find(/^(plan|read.?only)$/i, 'name')
  const byId = find(asking, 'id')
  return byId ?? (mode === 'ask' ? find(readOnly, 'id') : undefined) ?? find(asking, 'name')
}
