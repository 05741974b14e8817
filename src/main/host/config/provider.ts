import { createAnthropicClient } from '#adapters/anthropic/anthropic-client.ts'
import { findModel, knownModels } from '#adapters/anthropic/models.ts'
import { toUsage } from '#adapters/anthropic/usage.ts'
import { createDemoModel, demoModelId } from '#adapters/demo/demo-model.ts'
import type { ModelClient, ModelInfo } from '#core/ports/model-client.ts'
import type { Result } from '#shared/base/result.ts'
import type { ModelChoice, ProviderInfo } from '#shared/contract/views/app.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostOptions } from '../composition/host-options.ts'
import { resolveModelName } from './model-names.ts'
import type { SettingsSource } from './settings-source.ts'

/** The models of the configured provider, with their key. The key stays in this object. */
export interface Provider {
  info(): ProviderInfo
  hasKey(): boolean
  modelFor(model: string): ModelClient
  /** The name to send for a model; the error says which provider is configured instead. */
  resolveModel(model: string): Result<string, string>
  /** Tokens of input that a model accepts, as far as the table or its server knows. */
  contextWindow(model: string): Promise<number>
  /** US dollars of a small task. Null when the model's price is not known. */
  usualCost(model: string): number | null
  /** For *Test*: lists the models that a typed key or address leads to, before it is kept. Throws `ModelError`. */
  trial(key: string | undefined, baseUrl: string | undefined, signal: AbortSignal): Promise<readonly ModelInfo[]>
  setKey(key: string, remember: boolean): Promise<void>
  clearKey(): Promise<void>
}

/** Three requests of a subagent that reads a few files and writes one. */
const smallTask = { input_tokens: 20_000, cache_read_input_tokens: 20_000, output_tokens: 2_000 }

/**
 * The name to send for a model. Throws a refusal for one that cannot be used. Without a key, only the demo and custom
 * servers answer.
 */
export function requireModel(provider: Provider, given: string): string {
  const resolved = provider.resolveModel(given)
  if (!resolved.ok) throw new WireError('BAD_REQUEST', resolved.error)
  const model = resolved.value
  if (model === demoModelId || provider.hasKey() || provider.info().baseUrl !== null) return model
  throw new WireError(
    'NO_KEY',
    'No API key is set. Set ANTHROPIC_API_KEY, add a key or a base URL in Settings, or use the model "demo", which works offline.',
  )
}

export async function createProvider(options: HostOptions, settings: SettingsSource): Promise<Provider> {
  const fromEnvironment = options.environment.ANTHROPIC_API_KEY || null
  let stored = await options.secrets.read()
  let inMemory: string | null = null
  const key = () => inMemory ?? stored ?? fromEnvironment
  const baseUrl = () => settings.read().baseUrl ?? (options.environment.ANTHROPIC_BASE_URL || null)
  const anthropic = createAnthropicClient({ key, baseUrl })
  const demo = createDemoModel(options.demoFolder)
  const catalogue = createModelCatalogue()
  const addressOf = (url: string | null) => url ?? 'the provider'
  const usualCost = (model: string): number | null => (model === demoModelId ? 0 : toUsage(model, smallTask).cost)
  const priceOf = (model: string): Pick<ProviderInfo, 'runLimit' | 'assumedPrice'> => {
    const { budgets, unknownPrice } = settings.read().agents
    const { cost } = budgets.run
    const isKnown = cost === null || usualCost(model) !== null
    return { runLimit: cost, assumedPrice: isKnown ? null : unknownPrice }
  }
  return {
    info: () => ({
      ...priceOf(settings.read().model),
      model: settings.read().model,
      baseUrl: baseUrl(),
      keySource: inMemory ? 'memory' : stored ? 'stored' : fromEnvironment ? 'environment' : null,
      models: [
        ...catalogue.models(addressOf(baseUrl())).map((model) => modelChoice(model, baseUrl())),
        {
          id: demoModelId,
          name: 'Demo (scripted, offline)',
          contextWindow: usualWindow,
          provider: 'Coppice',
          price: { input: 0, output: 0 },
        },
      ],
    }),
    hasKey: () => key() !== null,
    resolveModel: (model) => resolveModelName(model, baseUrl()),
    modelFor: (model) => (model === demoModelId ? demo : anthropic),
    contextWindow: async (model) =>
      model === demoModelId ? usualWindow : catalogue.contextWindow(addressOf(baseUrl()), anthropic, model),
    usualCost,
    trial(typedKey, typedUrl, signal) {
      const url = typedUrl || baseUrl()
      const client = createAnthropicClient({ key: () => typedKey || key(), baseUrl: () => url })
      return catalogue.learn(addressOf(url), client, signal)
    },
    async setKey(typed, remember) {
      if (remember) {
        await options.secrets.write(typed)
        stored = typed
        inMemory = null
      } else inMemory = typed
    },
    async clearKey() {
      await options.secrets.clear()
      stored = null
      inMemory = null
    },
  }
}

function modelChoice({ id, name, contextWindow }: ModelInfo, baseUrl: string | null): ModelChoice {
  const prices = findModel(id)?.prices
  const price = prices ? { input: prices.input, output: prices.output } : null
  return { id, name, contextWindow, provider: baseUrl === null ? 'Anthropic' : new URL(baseUrl).host, price }
}

/** The models that each server lists, by its address. Falls back to the table of known models. */
export interface ModelCatalogue {
  models(address: string): readonly ModelInfo[]
  /** Asks a server and keeps its list. Throws `ModelError`. */
  learn(address: string, client: Pick<ModelClient, 'models'>, signal: AbortSignal): Promise<readonly ModelInfo[]>
  /**
   * Tokens of input that a model accepts. Asks the server once about a model that is not in the table. If the server
   * does not say, returns a size that most models accept.
   */
  contextWindow(address: string, client: Pick<ModelClient, 'models'>, model: string): Promise<number>
}

const usualWindow = 200_000
const askMs = 5_000

export function createModelCatalogue(): ModelCatalogue {
  const listed = new Map<string, readonly ModelInfo[]>()
  const asking = new Map<string, Promise<unknown>>()

  const learn: ModelCatalogue['learn'] = async (address, client, signal) => {
    const models = await client.models(signal)
    if (models.length > 0) listed.set(address, models)
    return models
  }

  return {
    models: (address) => listed.get(address) ?? knownModels,
    learn,
    async contextWindow(address, client, model) {
      const known = findModel(model)
      if (known) return known.contextWindow
      // A server that gave no list is not asked again. Its models still work.
      const asked = asking.get(address) ?? learn(address, client, AbortSignal.timeout(askMs)).catch(() => undefined)
      asking.set(address, asked)
      await asked
      return listed.get(address)?.find(({ id }) => id === model)?.contextWindow ?? usualWindow
    },
  }
}
