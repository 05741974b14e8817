import { type ModelClient, ModelError } from '#core/ports/model-client.ts'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import { agentIn, agentModel, agentProfile } from '#shared/model/models/agent-model.ts'
import { agentsIn } from '../extensions/agents.ts'

/** The external agents that a person has defined, where models are chosen. */
export interface AgentChoices {
  /** True for a name that means one of them, or that no profile could mean. */
  means(model: string): boolean
  /** Why there is no such agent, as a sentence; null when there is. */
  findProblem(model: string): string | null
  list(): readonly ModelChoice[]
}

/** `defined`: the definitions of the settings, read for each question. */
export function createAgentChoices(
  defined: () => readonly unknown[],
  isProfile: (name: string) => boolean,
): AgentChoices {
  let known: { readonly from: readonly unknown[]; readonly names: readonly string[] } = { from: [], names: [] }
  const names = (): readonly string[] => {
    const from = defined()
    if (from !== known.from) {
      const external = agentsIn(from, '').agents.filter(({ program }) => program?.kind === 'acp')
      known = { from, names: external.map(({ name }) => name) }
    }
    return known.names
  }
  return {
    means(model) {
      const agent = agentIn(model)
      return agent !== null && (names().includes(agent) || !isProfile(agentProfile))
    },
    findProblem(model) {
      const agent = agentIn(model) ?? ''
      if (names().includes(agent)) return null
      const others = names().length === 0 ? 'Define one in Settings → Agents.' : `Agents: ${names().join(', ')}.`
      return `There is no agent ${JSON.stringify(agent)} in your settings that speaks the Agent Client Protocol. ${others}`
    },
    list: () =>
      names().map((name) => ({ id: agentModel(name), name, provider: 'Agents', contextWindow: unknownWindow })),
  }
}

/** In tokens. The agent looks after its own window, and tells what it is when it works. */
const unknownWindow = 200_000

/** An external agent answers messages, and is asked nothing beside them. */
export const agentClient: ModelClient = {
  models: async () => [],
  stream({ model }) {
    const message = `${agentIn(model) ?? model} is an external agent, which cannot be asked beside its work.`
    throw new ModelError('forbidden', message)
  },
}
