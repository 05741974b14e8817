import { findModel, knownModels } from '#adapters/anthropic/models.ts'
import type { ModelClient, ModelInfo } from '#core/ports/model-client.ts'

/** What servers say of their models, by address; the table of known ones where a server was not asked or says nothing. */
export interface ModelCatalogue {
  models(address: string): readonly ModelInfo[]
  /** Asks a server and keeps what it lists. Throws `ModelError`. */
  learn(address: string, client: Pick<ModelClient, 'models'>, signal: AbortSignal): Promise<readonly ModelInfo[]>
  /** Tokens a model takes in. Of one that is not in the table its server is asked, once; where it does not tell, what most take at least. */
  contextWindow(address: string, client: Pick<ModelClient, 'models'>, model: string): Promise<number>
}

export const usualWindow = 200_000
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
      // A server that gives no list is not asked again: its models still answer.
      const asked = asking.get(address) ?? learn(address, client, AbortSignal.timeout(askMs)).catch(() => undefined)
      asking.set(address, asked)
      await asked
      return listed.get(address)?.find(({ id }) => id === model)?.contextWindow ?? usualWindow
    },
  }
}
