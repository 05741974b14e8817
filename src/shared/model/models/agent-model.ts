/** The models of this profile are the external agents. Each has models of its own, which only it knows. */
export const agentProfile = 'agent'

/**
 * How a thread names the external agent that works in it, in place of a model. `own`: which of its models it is to use, by
 * the agent's own id; null leaves that to it.
 */
export function agentModel(agent: string, own: string | null = null): string {
  return [agentProfile, agent, ...(own === null ? [] : [own])].join('/')
}

/** The external agent that a thread's model names. Null for a model. */
export function agentIn(model: string): string | null {
  return partsOf(model)?.agent ?? null
}

/** Which of its own models the agent is to use. Null for a model, and where that is left to the agent. */
export function ownModelIn(model: string): string | null {
  return partsOf(model)?.own ?? null
}

/** What a person names beside an agent, as its thread has it: one of the agent's own models, by any name of it. */
export function namedBeside(model: string, named: string): string {
  const agent = agentIn(model)
  return agent === null || agentIn(named) !== null ? named : agentModel(agent, named)
}

/** The name of an agent has no slash. Ids of models may have some. */
function partsOf(model: string): { readonly agent: string; readonly own: string | null } | null {
  const [, agent, own = null] = /^agent\/([^/]+)(?:\/(.+))?$/s.exec(model) ?? []
  return agent === undefined ? null : { agent, own }
}
