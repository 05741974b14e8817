import { agentIn, agentModel, ownModelIn } from '#shared/model/models/agent-model.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { type AgentChoice, ExternalAgentError } from '../../ports/programs/external-agent.ts'
import type { ExternalSession } from './external-sessions.ts'

/** Ids that are told where an agent does not offer the one that is wanted. */
const mostTold = 30

/**
 * Has the agent work with the one of its models that the thread names, or else with the one that its session began with.
 * Throws `ExternalAgentError` for one that it does not offer, and the abort reason.
 */
export async function chooseModel(
  { model, agentType }: Pick<ThreadState, 'model' | 'agentType'>,
  { agent, usualModel }: Pick<ExternalSession, 'agent' | 'usualModel'>,
  signal: AbortSignal,
): Promise<void> {
  const { current, offered } = agent.choices('model')
  const named = ownModelIn(model)
  const wanted = named === null ? usualModel : findOffered(offered, named)?.id
  if (wanted === undefined)
    throw new ExternalAgentError('failed', unknownModel(agentIn(model) ?? agentType, named ?? '', offered))
  if (wanted !== '' && wanted !== current) await agent.choose('model', wanted, signal)
}

/** By its id, else by id or name in any case. */
function findOffered(offered: readonly AgentChoice[], named: string): AgentChoice | undefined {
  const said = named.toLowerCase()
  const fits = ({ id, name }: AgentChoice) => id.toLowerCase() === said || name.toLowerCase() === said
  return offered.find(({ id }) => id === named) ?? offered.find(fits)
}

function unknownModel(agent: string, named: string, offered: readonly AgentChoice[]): string {
  const without = `${agentModel(agent)} leaves the choice to it.`
  if (offered.length === 0)
    return `${agent} offers no choice of models, so it cannot use ${JSON.stringify(named)}. ${without}`
  const told = offered.slice(0, mostTold).map(({ id }) => id)
  const more = offered.length > told.length ? ` and ${offered.length - told.length} more` : ''
  return `${agent} has no model ${JSON.stringify(named)}. It offers ${told.join(', ')}${more}. ${without}`
}
