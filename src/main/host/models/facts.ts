import type { ModelSetting } from '#adapters/settings/providers-schema.ts'
import type { ModelInfo } from '#core/ports/model-client.ts'
import type { ModelAbilities, ModelFacts, ModelPrices } from '#shared/model/models/model-facts.ts'
import { type CatalogueLine, findCatalogueLine } from './catalogue.ts'
import type { Profile } from './profiles.ts'

/** Tokens. Used where nobody says how much a model accepts. */
const usualWindow = 200_000
/** Servers on one's own machine often accept little, and cut the beginning off without a word. */
const usualLocalWindow = 32_000

/**
 * What is known of a model: what a person set, then what its server listed, then the catalogue of its maker, then what
 * is usual for its server.
 */
export function findFacts(profile: Profile, id: string, listed: readonly ModelInfo[]): ModelFacts {
  const own: ModelSetting = Object.hasOwn(profile.models, id) ? (profile.models[id] ?? {}) : {}
  const said = listed.find((model) => model.id === id)
  const line = profile.catalogue === null ? undefined : findCatalogueLine(profile.catalogue, id)
  const usual = profile.preset?.local ? usualLocalWindow : usualWindow
  const prices = own.prices === undefined ? (said?.prices ?? line?.prices ?? freePrices(profile)) : pricesOf(own.prices)
  return {
    id,
    name: own.name ?? line?.name ?? said?.name ?? id,
    context: own.context ?? said?.contextWindow ?? line?.context ?? usual,
    maxOutput: own.max_output ?? said?.maxOutput ?? line?.maxOutput ?? null,
    prices,
    longPrompt: own.prices === undefined && !said?.prices ? (line?.longPrompt ?? null) : null,
    can: abilitiesOf(profile, own, line),
  }
}

/** True when nobody but the general rule says how much the model accepts. Its server may know. */
export function isWindowAssumed(profile: Profile, id: string, listed: readonly ModelInfo[]): boolean {
  const own = Object.hasOwn(profile.models, id) ? profile.models[id] : undefined
  const line = profile.catalogue === null ? undefined : findCatalogueLine(profile.catalogue, id)
  const said = listed.find((model) => model.id === id)?.contextWindow
  return own?.context === undefined && line === undefined && said == null
}

function freePrices({ preset }: Profile): ModelPrices | null {
  return preset?.free ? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } : null
}

/** Without prices of their own, tokens of the cache cost as much as others. */
function pricesOf(set: ModelSetting['prices']): ModelPrices | null {
  if (!set) return null
  const { input, output, cache_read: cacheRead = input, cache_write: cacheWrite = input } = set
  return { input, output, cacheRead, cacheWrite }
}

function abilitiesOf(profile: Profile, own: ModelSetting, line: CatalogueLine | undefined): ModelAbilities {
  const usual: ModelAbilities = {
    tools: true,
    images: true,
    thinking: 'none',
    efforts: [],
    caching: profile.kind !== 'openai',
    temperature: true,
    // The makers promise it for models of theirs. Others mostly ignore it.
    schemas: line !== undefined,
  }
  const set: Partial<ModelAbilities> = {
    ...(own.tools !== undefined && { tools: own.tools }),
    ...(own.images !== undefined && { images: own.images }),
    ...(own.thinking !== undefined && { thinking: own.thinking }),
    ...(own.effort !== undefined && { efforts: own.effort }),
    ...(own.caching !== undefined && { caching: own.caching }),
    ...(own.temperature !== undefined && { temperature: own.temperature }),
    ...(own.top_p !== undefined && { topP: own.top_p }),
    ...(own.top_k !== undefined && { topK: own.top_k }),
    ...(own.schemas !== undefined && { schemas: own.schemas }),
  }
  return { ...usual, ...profile.preset?.can, ...line?.can, ...set }
}
