import { isDeepStrictEqual } from 'node:util'
import { type ModelClient, ModelError, type ModelInfo } from '#core/ports/model-client.ts'
import type { AgentChoice, AgentCommand, AgentModels, AgentSession } from '#core/ports/programs/external-agent.ts'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import { agentIn, agentModel, agentProfile, ownModelIn } from '#shared/model/models/agent-model.ts'
import { type Effort, efforts } from '#shared/model/models/model-facts.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { agentsIn, type FoundAgent } from '../extensions/agents.ts'
import type { LearnedServers } from './learned-servers.ts'

/** The external agents that a person has defined, where models are chosen. */
export interface DefinedAgents extends AgentModels {
  /** True for a name that means one of them, or that no profile could mean. */
  means(model: string): boolean
  /** Why there is no such agent, as a sentence; null when there is. */
  findProblem(model: string): string | null
  /** The agents, then the models of each that it said it has. */
  list(): readonly ModelChoice[]
  /** Tokens of a model's window. One that nobody told is assumed. */
  contextWindow(model: string): number
}

/**
 * `defined`: the definitions of the settings, read for each question. What an agent said of its models counts for its
 * command.
 */
export function createDefinedAgents(
  defined: () => readonly unknown[],
  isProfile: (name: string) => boolean,
  learned: LearnedServers,
): DefinedAgents {
  let known: { readonly from: readonly unknown[]; readonly agents: readonly FoundAgent[] } = { from: [], agents: [] }
  const agents = (): readonly FoundAgent[] => {
    const from = defined()
    if (from !== known.from)
      known = { from, agents: agentsIn(from, '').agents.filter(({ program }) => program?.kind === 'acp') }
    return known.agents
  }
  const commands = new Map<string, readonly AgentCommand[]>()
  const names = () => agents().map(({ name }) => name)
  /** As what is learned of it is kept. Undefined for an agent that is not defined. */
  const keyOf = (agent: string): readonly [string, string] | undefined => {
    const program = agents().find(({ name }) => name === agent)?.program
    return program?.kind === 'acp' ? [agentModel(agent), program.command] : undefined
  }
  const limitsOf = (model: string) => {
    const [profile, address] = keyOf(agentIn(model) ?? '') ?? []
    if (profile === undefined || address === undefined) return undefined
    return { limits: learned.dialect(profile, () => address), own: ownModelIn(model) ?? '' }
  }
  const windowOf = (model: string): number => {
    const { limits, own } = limitsOf(model) ?? { own: '' }
    return limits?.limitsOf(own).context ?? unknownWindow
  }
  const listedOf = (agent: string): readonly ModelInfo[] => {
    const key = keyOf(agent)
    return key === undefined ? [] : learned.listed(...key)
  }
  const modesOf = (agent: string) => {
    const key = keyOf(agent)
    const modes = key === undefined ? [] : learned.modes(...key)
    return modes.length > 0 ? { modes } : {}
  }
  const modelsOf = (agent: string): readonly ModelChoice[] =>
    listedOf(agent).map((info) => {
      const id = agentModel(agent, info.id)
      // Where it stands alone, as on the page of usage, it must not look like a model of ours.
      const name = `${agent} › ${info.name}`
      const offered = { ...effortsIn(info), ...modesOf(agent) }
      return { id, name, about: id, provider: `Agents › ${agent}`, contextWindow: windowOf(id), ...offered }
    })
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
    contextWindow: windowOf,
    list: () => [
      ...agents().map(({ name, description: about }) => {
        const id = agentModel(name)
        const [first] = listedOf(name)
        const offered = { ...effortsIn(first), ...modesOf(name) }
        return { id, name, about, provider: 'Agents', contextWindow: windowOf(id), ...offered }
      }),
      ...names().flatMap(modelsOf),
    ],
    keepOffered(agent, choices) {
      const key = keyOf(agent)
      if (key !== undefined) learn(learned, key, choices)
    },
    commandsOf: (agent) => commands.get(agent) ?? [],
    keepCommands: (agent, offered) => void commands.set(agent, keepableCommands(offered)),
    keepWindow(model, tokens) {
      const { limits, own } = limitsOf(model) ?? { own: '' }
      if (tokens > 0 && limits?.limitsOf(own).context !== tokens) limits?.learnLimits(own, { context: tokens })
    },
  }
}

/** Keeps what an agent offers, where it is not known already. `key`: as what is learned of it is kept. */
function learn(learned: LearnedServers, key: readonly [string, string], choices: AgentSession['choices']): void {
  const thinks = efforts.filter((effort) => choices('effort').offered.some(({ id }) => id === effort))
  const models = keepable(choices('model').offered).map((one) => plain({ ...one, efforts: thinks }))
  if (!isDeepStrictEqual(learned.listed(...key).map(plain), models)) learned.keepList(...key, models)
  const modes = keepable(choices('mode').offered)
  if (!isDeepStrictEqual(learned.modes(...key), modes)) learned.keepModes(...key, modes)
}

/** In tokens. The agent looks after its own window, and tells what it is when it works with it. */
const unknownWindow = 200_000

/** An external agent answers messages, and is asked nothing beside them. */
export const agentClient: ModelClient = {
  models: async () => [],
  stream({ model }) {
    const message = `${agentIn(model) ?? model} is an external agent, which cannot be asked beside its work.`
    throw new ModelError('forbidden', message)
  },
}

/** As it is kept. */
function plain({ id, name, efforts: thinks }: Pick<ModelInfo, 'id' | 'name' | 'efforts'>): ModelInfo {
  return { id, name, contextWindow: null, efforts: thinks ?? [] }
}

/** Models and commands of an agent that are kept, and characters of the id and the name of each. */
const mostKept = 500
const mostCharacters = 200
const mostDescription = 1_000

/** An id must look like what it is, since a person chooses by it. */
function isPlain(id: string): boolean {
  return id.length <= mostCharacters && oneLine(id) === id
}

function keepable(offered: readonly AgentChoice[]): readonly AgentChoice[] {
  const fitting = offered.filter(({ id }) => isPlain(id))
  const once = [...new Map(fitting.map((one) => [one.id, one])).values()]
  return once.slice(0, mostKept).map(({ id, name }) => ({ id, name: shownOf(name, mostCharacters) || id }))
}

/** The first of each name, as a word after a slash has one meaning. */
function keepableCommands(offered: readonly AgentCommand[]): readonly AgentCommand[] {
  const fitting = offered.filter(({ name }) => isPlain(name)).toReversed()
  const once = [...new Map(fitting.map((one) => [one.name, one])).values()].toReversed()
  return once
    .slice(0, mostKept)
    .map(({ name, description }) => ({ name, description: shownOf(description, mostDescription) }))
}

/** What an agent says as one line of bounded length. */
function shownOf(text: string, most: number): string {
  return beginningOf(oneLine(beginningOf(text, most)), most)
}

/** An agent says only of the model in use how long it can think. What another one does not offer is left to it. */
function effortsIn(info: ModelInfo | undefined): { readonly efforts?: readonly Effort[] } {
  return info?.efforts && info.efforts.length > 0 ? { efforts: info.efforts } : {}
}
