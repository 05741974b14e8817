import { createAnthropicClient } from '#adapters/anthropic/anthropic-client.ts'
import { findModel, knownModels } from '#adapters/anthropic/models.ts'
import { toUsage } from '#adapters/anthropic/usage.ts'
import { createDemoModel, demoModelId } from '#adapters/demo/demo-model.ts'
import type { ModelClient } from '#core/ports/model-client.ts'
import type { ProviderInfo } from '#shared/contract/views.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostOptions } from './host-options.ts'
import type { SettingsSource } from './settings-source.ts'

/** Which model answers, and with whose key. The key stays in this object. */
export interface Provider {
  info(): ProviderInfo
  hasKey(): boolean
  modelFor(model: string): ModelClient
  /** Tokens a model takes in; of one that is not in the table, what most take at least. */
  contextWindow(model: string): number
  /** US dollars of a small task; null where the model's price is not known. */
  usualCost(model: string): number | null
  /** For *Test*: a client with what was typed and is not kept yet. */
  trial(key: string | undefined, baseUrl: string | undefined): ModelClient
  setKey(key: string, remember: boolean): Promise<void>
  clearKey(): Promise<void>
}

const usualWindow = 200_000

/** Three requests of a subagent that reads a few files and writes one. */
const smallTask = { input_tokens: 20_000, cache_read_input_tokens: 20_000, output_tokens: 2_000 }

/** Refuses a model that cannot be asked: without a key only the demo and a server of one's own answer. */
export function requireModel(provider: Provider, model: string): void {
  if (model === demoModelId || provider.hasKey() || provider.info().baseUrl !== null) return
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
  return {
    info: () => ({
      model: settings.read().model,
      baseUrl: baseUrl(),
      keySource: inMemory ? 'memory' : stored ? 'stored' : fromEnvironment ? 'environment' : null,
      models: [...knownModels, { id: demoModelId, name: 'Demo (scripted, offline)', contextWindow: usualWindow }],
    }),
    hasKey: () => key() !== null,
    modelFor: (model) => (model === demoModelId ? demo : anthropic),
    contextWindow: (model) => findModel(model)?.contextWindow ?? usualWindow,
    usualCost: (model) => toUsage(model, smallTask).cost,
    trial: (typedKey, typedUrl) =>
      createAnthropicClient({ key: () => typedKey || key(), baseUrl: () => typedUrl || baseUrl() }),
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
