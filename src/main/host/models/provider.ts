import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createDemoModel, demoModelId } from '#adapters/demo/demo-model.ts'
import { settingsText } from '#adapters/settings/settings-file.ts'
import { createModelGate, type ModelGate } from '#core/agent/model/model-gate.ts'
import type { ModelClient, ModelInfo, ModelRequest } from '#core/ports/model-client.ts'
import type { AgentModels } from '#core/ports/programs/external-agent.ts'
import { type Result, success } from '#shared/base/result.ts'
import type { ModelChoice, ProviderInfo } from '#shared/contract/views/app.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import {
  costOf,
  type ModelFacts,
  type PricedTokens,
  type SamplingName,
  samplingNames,
  takesSampling,
} from '#shared/model/models/model-facts.ts'
import { newestOf } from '#shared/model/models/model-family.ts'
import { builtInProfile } from '#shared/model/models/provider.ts'
import type { HostOptions, Secrets } from '../app/host-options.ts'
import type { SettingsSource } from '../settings/settings-source.ts'
import { agentClient, createDefinedAgents } from './agent-choices.ts'
import { modelsOf } from './catalogue.ts'
import { isWindowAssumed } from './facts.ts'
import { type LearnedServers, openLearnedServers } from './learned-servers.ts'
import { describeLeftOut } from './left-out.ts'
import { type OpenProfile, openProfile } from './open-profile.ts'
import { openOptionalPackages } from './optional-packages.ts'
import { asksMaker, type Profile, type Profiles, usualConcurrency } from './profiles.ts'
import { findReference, findStored, isDemo, type ModelReference, referenceName } from './references.ts'
import { secretVariables } from './secret-variables.ts'

/** The models of all profiles. Secrets stay in this object. */
export interface Provider {
  info(): ProviderInfo
  /** The client that serves a model. */
  modelFor(model: string): ModelClient
  /** Limits the requests to a model's server. All projects share it. */
  gateFor(model: string): ModelGate
  /** The full name of a model that a person named, as threads keep it; the error says which profiles there are. */
  resolveModel(model: string): Result<string, string>
  /** The full name of the newest model of a family in the profile of another model, or in the usual one. Null without. */
  newestOf(family: string, besides: string | null): string | null
  /** The full name of a model as a thread has it, which another usual profile does not change. */
  resolveStored(model: string): Result<string, string>
  /** Null for a model that no profile has. */
  factsOf(model: string): ModelFacts | null
  /** Tokens of input that a model accepts. Asks its server once if nobody else knows. */
  contextWindow(model: string): Promise<number>
  /** US dollars of a small task. Null when the model's price is not known. */
  usualCost(model: string): number | null
  /** US dollars of a model's tokens. Null when its price is unknown. */
  costOf(model: string, tokens: PricedTokens): number | null
  /** What a request to the model leaves out of what it could say about the choice of words. */
  leftOutSampling(model: string): readonly SamplingName[]
  /** What of a request its model will not get, in sentences for a person. */
  leftOut(request: ModelRequest): readonly string[]
  /** Why the model cannot be asked, as a sentence for a person; null when it can. */
  findProblem(model: string): string | null
  /** Every profile in use, without its secret. */
  profiles(): Profiles
  /** The profile under its name. Throws a refusal when there is none. */
  open(profile: string): OpenProfile
  /** A profile that is not saved yet, for a test. `withStored`: false to keep the key of the key store from its server. */
  openTrial(profile: Profile, withStored?: boolean): OpenProfile
  /** Asks a profile's server for its models and keeps the list. Throws `ModelError`. */
  list(open: OpenProfile, signal: AbortSignal): Promise<readonly ModelInfo[]>
  /** Names of the variables that hold keys of profiles. Nothing that the app starts gets them. */
  secretVariables(): ReadonlySet<string>
  /** Where what external agents say of their models is kept. */
  readonly agentModels: AgentModels
  /** What the servers taught. */
  readonly learned: LearnedServers
}

/** Three requests of a subagent that reads a few files and writes one. */
const smallTask = { inputTokens: 20_000, cacheReadTokens: 20_000, cacheWriteTokens: 0, outputTokens: 2_000 }

/**
 * The full name of a model. Throws a refusal for one that cannot be asked. Without a key, only the demo and servers that
 * need none answer.
 */
export function requireModel(provider: Provider, given: string): string {
  return requireUsable(provider, resolvedModel(provider, given))
}

/** Like `requireModel`, for the model of a thread. */
export function requireStored(provider: Provider, name: string): string {
  const resolved = provider.resolveStored(name)
  if (!resolved.ok) throw new WireError('BAD_REQUEST', resolved.error)
  return requireUsable(provider, resolved.value)
}

function requireUsable(provider: Provider, model: string): string {
  const problem = provider.findProblem(model)
  if (problem !== null) throw new WireError('NO_KEY', problem)
  return model
}

/** The full name of a model. Throws a refusal for one that no profile has. */
export function resolvedModel(provider: Pick<Provider, 'resolveModel'>, given: string): string {
  const resolved = provider.resolveModel(given)
  if (!resolved.ok) throw new WireError('BAD_REQUEST', resolved.error)
  return resolved.value
}

const demoWindow = 200_000
const noSecrets: Secrets = { storage: 'none', read: async () => null, write: async () => {}, clear: async () => {} }
const askMs = 5_000

export async function createProvider(options: HostOptions, settings: SettingsSource): Promise<Provider> {
  const { environment, dataFolder } = options
  const learned = openLearnedServers(join(dataFolder, 'servers.json'), (error) =>
    options.log('What the servers of models taught could not be kept', error),
  )
  const profiles = () => settings.read().profiles
  /** Asked for each variable of each command, and made anew when the settings were read anew. */
  let variables: { readonly of: Profiles; readonly names: ReadonlySet<string> } | undefined
  const keyVariables = (): ReadonlySet<string> => {
    const of = profiles()
    if (variables?.of !== of) variables = { of, names: secretVariables(of, settingsTexts(options, settings)) }
    return variables.names
  }
  const packages = openOptionalPackages(dataFolder)
  const parts = { secrets: options.secrets, environment, keyVariables, learned, packages }
  const demo = createDemoModel(options.demoFolder)
  const demoGate = createModelGate(usualConcurrency)
  const agents = createDefinedAgents(
    () => settings.read().userAgents,
    (name) => profiles().byName.has(name),
    learned,
  )
  /** True for what no profile answers. */
  const isApart = (model: string) => isDemo(model) || agents.means(model)
  const find = (model: string): ModelReference | null => {
    const found = isApart(model) ? null : findStored(model, profiles())
    return found?.ok ? found.value : null
  }
  const open = openOnce((profile, before) =>
    openProfile(profile, { ...parts, before }, (model) => find(model)?.id ?? model),
  )
  // Stored keys are read at the start, so that later questions about them have answers at once.
  await Promise.all([...profiles().byName.values()].map((profile) => open(profile).secret.ready))

  const listedBy = (profile: Profile) => learned.listed(profile.name, profile.address ?? '')
  const factsIn = ({ profile, id }: ModelReference): ModelFacts => open(profile).factsOf(id)
  const factsOf = (model: string): ModelFacts | null => {
    const found = find(model)
    return found ? factsIn(found) : null
  }
  const priceOf = (model: string, tokens: PricedTokens): number | null => {
    // What an external agent costs it tells itself.
    if (isApart(model)) return 0
    const facts = factsOf(model)
    return facts ? costOf(tokens, facts) : null
  }
  const usualCost = (model: string): number | null => priceOf(model, smallTask)
  const asked = new Map<Profile, Promise<unknown>>()
  /** A server that gave no list is not asked again. Its models still work. */
  const askOnce = (profile: Profile): Promise<unknown> => {
    const asking = asked.get(profile) ?? list(open(profile), AbortSignal.timeout(askMs)).catch(() => undefined)
    asked.set(profile, asking)
    return asking
  }
  const list = async ({ profile, client }: OpenProfile, signal: AbortSignal): Promise<readonly ModelInfo[]> => {
    const models = await client.models(signal)
    if (models.length > 0) learned.keepList(profile.name, profile.address ?? '', models)
    return models
  }
  const findProblem = (model: string): string | null => {
    if (isDemo(model)) return null
    if (agents.means(model)) return agents.findProblem(model)
    const found = findStored(model, profiles())
    return found.ok ? open(found.value.profile).findProblem() : found.error
  }
  const resolveModel: Provider['resolveModel'] = (model) => {
    if (isApart(model)) return success(model)
    const found = findReference(model, profiles())
    return found.ok ? success(referenceName(found.value, profiles())) : found
  }
  /** As it stands in the settings when no profile has it, so that a person sees what is wrong. */
  const fullName = (model: string): string => {
    const resolved = resolveModel(model)
    return resolved.ok ? resolved.value : model
  }
  /** The usual profile first, and those that cannot be asked last. */
  const inOrderOfUse = (all: readonly Profile[], usual: Profile): readonly Profile[] => {
    const rank = (profile: Profile) => (profile === usual ? 0 : open(profile).findProblem() === null ? 1 : 2)
    return all.toSorted((a, b) => rank(a) - rank(b))
  }
  const choicesOf = (profile: Profile): readonly ModelChoice[] =>
    knownModels(profile, listedBy(profile)).map((id) => choiceOf(factsIn({ profile, id }), profile, profiles()))

  return {
    learned,
    agentModels: agents,
    profiles,
    factsOf,
    usualCost,
    costOf: priceOf,
    findProblem,
    list,
    info() {
      const { byName, usual } = profiles()
      const { budgets, unknownPrice } = settings.read().agents
      const model = fullName(settings.read().model)
      const { cost } = budgets.run
      const isKnown = cost === null || usualCost(model) !== null
      return {
        model,
        baseUrl: asksMaker(usual) ? null : usual.address,
        keySource: keySourceOf(open(usual)),
        canAsk: findProblem(model) === null,
        models: [...agents.list(), ...inOrderOfUse([...byName.values()], usual).flatMap(choicesOf), demoChoice],
        runLimit: cost,
        assumedPrice: isKnown ? null : unknownPrice,
      }
    },
    leftOut(request) {
      const found = find(request.model)
      if (!found) return []
      const { dialect, factsOf: factsOfId } = open(found.profile)
      return describeLeftOut(request, found.profile, factsOfId(found.id), dialect.refusedBy(found.id))
    },
    leftOutSampling(model) {
      const found = find(model)
      if (!found) return []
      const refused = open(found.profile).dialect.refusedBy(found.id)
      const { can } = factsIn(found)
      return samplingNames.filter((name) => refused.has(name) || (name !== 'temperature' && !takesSampling(can, name)))
    },
    secretVariables: keyVariables,
    resolveModel,
    newestOf(family, besides) {
      if (besides !== null && isApart(besides)) return null
      const profile = (besides === null ? null : find(besides)?.profile) ?? profiles().usual
      const id = newestOf(family, knownModels(profile, listedBy(profile)))
      return id === null ? null : referenceName({ profile, id }, profiles())
    },
    resolveStored(model) {
      if (isApart(model)) return success(model)
      const found = findStored(model, profiles())
      return found.ok ? success(referenceName(found.value, profiles())) : found
    },
    modelFor(model) {
      const found = find(model)
      if (found) return open(found.profile).client
      return agents.means(model) ? agentClient : demo
    },
    gateFor(model) {
      const found = find(model)
      return found ? open(found.profile).gate : demoGate
    },
    async contextWindow(model) {
      const found = find(model)
      if (!found) return agents.means(model) ? agents.contextWindow(model) : demoWindow
      if (isWindowAssumed(found.profile, found.id, listedBy(found.profile))) await askOnce(found.profile)
      return factsIn(found).context
    },
    open(name) {
      const profile = profiles().byName.get(name)
      if (!profile) throw new WireError('NOT_FOUND', `There is no profile ${name} in the settings.`)
      return open(profile)
    },
    openTrial(profile, withStored = true) {
      const secrets = withStored ? options.secrets : noSecrets
      return openProfile(profile, { ...parts, secrets, isTrial: true }, (model) => model)
    },
  }
}

/** The files of settings as they are. One that cannot be read says nothing. */
function settingsTexts({ settingsFile }: HostOptions, settings: SettingsSource): readonly string[] {
  const read = [() => settings.text(), ...(settingsFile === null ? [] : [() => settingsText(settingsFile)])]
  return read.flatMap((text) => {
    try {
      return [text()]
    } catch {
      return []
    }
  })
}

/** Opens each profile once, and again when it was set anew. `before`: as it was opened the last time. */
function openOnce(
  make: (profile: Profile, before: OpenProfile | undefined) => OpenProfile,
): (profile: Profile) => OpenProfile {
  const known = new Map<string, OpenProfile>()
  return (profile) => {
    const before = known.get(profile.name)
    if (before && isDeepStrictEqual(before.profile, profile)) return before
    const opened = make(profile, before)
    known.set(profile.name, opened)
    return opened
  }
}

/** The models of a profile: those of the settings, then those of its server, or else of its maker. */
export function knownModels(profile: Profile, listed: readonly ModelInfo[]): readonly string[] {
  const made = profile.catalogue === null ? [] : modelsOf(profile.catalogue)
  const usual = asksMaker(profile) || listed.length === 0 ? made : []
  return [...new Set([...Object.keys(profile.models), ...[...usual, ...listed].map(({ id }) => id)])]
}

/** The models that a server lists, as choices; those of its maker when it has no list. */
export function choicesAt({ profile, factsOf }: OpenProfile, listed: readonly ModelInfo[]): readonly ModelChoice[] {
  return knownModels(profile, listed).map((id) => {
    const said = listed.find((model) => model.id === id)
    const { name, context } = factsOf(id)
    return { id, name: said?.name ?? name, contextWindow: said?.contextWindow ?? context }
  })
}

function choiceOf(facts: ModelFacts, profile: Profile, profiles: Profiles): ModelChoice {
  const { id, name, context: contextWindow, maxOutput, prices: price, can } = facts
  return {
    ...{ name, contextWindow, maxOutput, price, can },
    id: referenceName({ profile, id }, profiles),
    profile: profile.name,
    provider: providerName(profile),
  }
}

/** Who answers, for people. */
function providerName(profile: Profile): string {
  if (asksMaker(profile)) return 'Anthropic'
  if (profile.name === builtInProfile && profile.address !== null)
    return URL.parse(profile.address)?.host ?? profile.address
  return profile.name
}

const demoChoice: ModelChoice = {
  id: demoModelId,
  name: 'Demo (scripted, offline)',
  contextWindow: demoWindow,
  provider: 'Coppice',
  price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
}

/** The window names three places; a command is like the environment to it. */
function keySourceOf({ secret }: OpenProfile): ProviderInfo['keySource'] {
  const source = secret.source()
  return source === 'command' ? 'environment' : source
}
