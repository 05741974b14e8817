/** The models of this profile are the external agents. Each has models of its own, which only it knows. */
export const agentProfile = 'agent'

/** How a thread names the external agent that works in it, in place of a model. */
export function agentModel(agent: string): string {
  return `${agentProfile}/${agent}`
}

/** The external agent that a thread's model names. Null for a model. */
export function agentIn(model: string): string | null {
  const begin = `${agentProfile}/`
  return model.startsWith(begin) && model.length > begin.length ? model.slice(begin.length) : null
}
