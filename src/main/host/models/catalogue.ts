import {
  type Effort,
  efforts,
  type LongPromptPrices,
  type ModelAbilities,
  type ModelPrices,
} from '#shared/model/models/model-facts.ts'

/** One model as its maker publishes it. A person's settings override each field. */
export interface CatalogueLine {
  /** What the maker's own server calls it. */
  readonly id: string
  readonly name: string
  /** The presets under which the line holds: prices are those of these servers. */
  readonly presets: readonly string[]
  /** Tokens. */
  readonly context: number
  /** Tokens; null when the maker does not say. */
  readonly maxOutput: number | null
  /** Null when the maker does not say. */
  readonly prices: ModelPrices | null
  readonly longPrompt?: LongPromptPrices
  readonly can: Partial<ModelAbilities>
  /** The maker's page that says so, and the day on which the line was compared with it (or with its stored copy). */
  readonly source: { readonly url: string; readonly checked: string }
}

/** The cache keeps an entry five minutes, which costs a quarter more than input that is not kept. */
const prices = (input: number, output: number, cacheRead = input / 10): ModelPrices => ({
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25,
})
/** The server fills its cache by itself, without another price for it. */
const unmarked = (input: number, output: number, cacheRead: number): ModelPrices => ({
  input,
  output,
  cacheRead,
  cacheWrite: input,
})

const claudeDocs = 'https://platform.claude.com/docs/en'
const pricing = { url: `${claudeDocs}/about-claude/pricing`, checked: '2026-11-24' }
/** A page about one model, or `release-notes`, which tells what changed since. */
const claudePage = (page: string) => ({ url: `${claudeDocs}/${page}/overview`, checked: '2026-11-24' })
const claude = { presets: ['anthropic'], context: 1_000_000, maxOutput: 128_000 }

/** Claude 4.6 has no step between `high` and `max`. */
const fewerEfforts: readonly Effort[] = efforts.filter((effort) => effort !== 'xhigh')
const abilities = {
  tools: true,
  images: true,
  caching: true,
  thinking: 'adaptive',
  efforts,
  temperature: false,
} as const
const always = { ...abilities, thinking: 'always' } as const
/** It thinks only when it is asked to. */
const optional = { ...abilities, thinking: 'optional' } as const
const tempered = { ...optional, efforts: fewerEfforts, temperature: true } as const

/**
 * Models of Anthropic, newest first within a line. Prices hold for its own server: clouds and gateways have others.
 */
const anthropic: readonly CatalogueLine[] = [
  {
    ...claude,
    id: 'claude-sonnet-5-5',
    name: 'Claude Sonnet 5.5',
    // Cache reads are cheaper since 2026-10-07, which earlier copies of the page about the model do not say.
    prices: prices(2, 10, 0.1),
    can: abilities,
    source: claudePage('release-notes'),
  },
  {
    ...claude,
    id: 'claude-fable-5-2',
    name: 'Claude Fable 5.2',
    prices: prices(8, 40, 0.2),
    can: always,
    source: pricing,
  },
  {
    ...claude,
    id: 'claude-opus-5-5',
    name: 'Claude Opus 5.5',
    prices: prices(4, 20, 0.2),
    can: always,
    source: claudePage('models/opus-5-5'),
  },
  {
    ...claude,
    id: 'claude-haiku-5-5',
    name: 'Claude Haiku 5.5',
    prices: prices(0.1, 0.5),
    longPrompt: { above: 100_000, ...prices(0.5, 2.5) },
    can: abilities,
    source: claudePage('models/haiku-5-5'),
  },
  {
    ...claude,
    id: 'claude-fable-5-1',
    name: 'Claude Fable 5.1',
    prices: prices(10, 50, 0.25),
    can: always,
    source: pricing,
  },
  {
    ...claude,
    id: 'claude-sonnet-5',
    name: 'Claude Sonnet 5',
    prices: prices(2, 10),
    can: abilities,
    source: claudePage('models/sonnet-5'),
  },
  { ...claude, id: 'claude-fable-5', name: 'Claude Fable 5', prices: prices(10, 50), can: always, source: pricing },
  {
    ...claude,
    id: 'claude-opus-5',
    name: 'Claude Opus 5',
    prices: prices(5, 25),
    can: abilities,
    source: claudePage('models/opus-5'),
  },
  { ...claude, id: 'claude-opus-4-8', name: 'Claude Opus 4.8', prices: prices(5, 25), can: optional, source: pricing },
  { ...claude, id: 'claude-opus-4-7', name: 'Claude Opus 4.7', prices: prices(5, 25), can: optional, source: pricing },
  { ...claude, id: 'claude-opus-4-6', name: 'Claude Opus 4.6', prices: prices(5, 25), can: tempered, source: pricing },
  {
    ...claude,
    id: 'claude-sonnet-4-6',
    name: 'Claude Sonnet 4.6',
    prices: prices(3, 15),
    can: tempered,
    source: pricing,
  },
  {
    ...claude,
    id: 'claude-haiku-4-5',
    name: 'Claude Haiku 4.5',
    context: 200_000,
    maxOutput: 64_000,
    prices: prices(1, 5),
    can: { ...abilities, thinking: 'none', efforts: [], temperature: true },
    source: pricing,
  },
]

const openai: readonly CatalogueLine[] = [
  {
    id: 'gpt-6.2-sol',
    name: 'GPT-6.2 Sol',
    presets: ['openai'],
    // The window has 1,050,000 tokens, of which input may fill this many.
    context: 922_000,
    maxOutput: 128_000,
    prices: prices(2, 10, 0.1),
    longPrompt: { above: 272_000, ...prices(4, 15, 0.2) },
    can: { tools: true, images: true, thinking: 'always', efforts, caching: false, temperature: false },
    source: { url: 'https://developers.openai.com/api/docs/models/gpt-6.2-sol', checked: '2026-11-24' },
  },
]

/** DeepSeek asks half of these prices outside the office hours of Beijing. What is shown is never too low. */
const deepseek: readonly CatalogueLine[] = [
  { id: 'deepseek-flash', name: 'DeepSeek V4.1 Flash', images: true, prices: unmarked(0.3, 1.2, 0.006) },
  { id: 'deepseek-v4-pro', name: 'DeepSeek V4 Pro', images: false, prices: unmarked(1.32, 3.96, 0.044) },
].map(({ images, ...line }) => ({
  ...line,
  presets: ['deepseek'],
  context: 1_000_000,
  maxOutput: 384_000,
  can: { tools: true, images, thinking: 'none', efforts: ['low', 'high', 'max'], caching: false },
  source: { url: 'https://api-docs.deepseek.com/quick_start/pricing', checked: '2026-11-24' },
}))

/** The page has the prices. The windows are in the guides of the models and in the maker's repositories. */
const zai: readonly CatalogueLine[] = [
  { id: 'glm-4.6', name: 'GLM-4.6', context: 200_000, prices: unmarked(0.6, 2.2, 0.11) },
  { id: 'glm-4.5', name: 'GLM-4.5', context: 128_000, prices: unmarked(0.6, 2.2, 0.11) },
  { id: 'glm-4.5-air', name: 'GLM-4.5-Air', context: 128_000, prices: unmarked(0.2, 1.1, 0.03) },
].map((line) => ({
  ...line,
  presets: ['zai'],
  maxOutput: null,
  can: { tools: true, images: false, thinking: 'none', efforts: [], caching: false },
  source: { url: 'https://docs.z.ai/guides/overview/pricing', checked: '2026-11-24' },
}))

/** The price is in a table that could not be read, so it is not guessed. */
const moonshot: readonly CatalogueLine[] = [
  {
    id: 'kimi-k2.6',
    name: 'Kimi K2.6',
    presets: ['moonshot'],
    context: 256_000,
    maxOutput: null,
    prices: null,
    can: { tools: true, images: true, thinking: 'none', efforts: [], caching: false },
    source: { url: 'https://platform.kimi.com/docs/pricing/chat-k26', checked: '2026-11-24' },
  },
]

/** Prices in dollars were only found with others than the maker. */
const minimax: readonly CatalogueLine[] = [
  { id: 'MiniMax-M3', name: 'MiniMax M3', context: 1_000_000, images: true },
  { id: 'MiniMax-M2.7', name: 'MiniMax M2.7', context: 204_800, images: false },
].map(({ images, ...line }) => ({
  ...line,
  presets: ['minimax'],
  maxOutput: null,
  prices: null,
  can: { tools: true, images, thinking: 'none', efforts: [], caching: true },
  source: { url: 'https://platform.minimax.io/docs/guides/text-generation', checked: '2026-11-24' },
}))

/** What makers publish about their current models, as far as it could be compared with their own pages. */
export const catalogue: readonly CatalogueLine[] = [
  ...anthropic,
  ...openai,
  ...deepseek,
  ...zai,
  ...moonshot,
  ...minimax,
]

/**
 * The line of a model of a preset's server. Finds the model also by a dated name such as `claude-haiku-4-5-20251001`
 * or `gpt-6.2-sol-2026-11-17`.
 */
export function findCatalogueLine(preset: string, model: string): CatalogueLine | undefined {
  return catalogue.find(
    ({ id, presets }) =>
      presets.includes(preset) &&
      (model === id || (model.startsWith(id) && /^-(\d{8}|\d{4}-\d\d-\d\d)$/.test(model.slice(id.length)))),
  )
}

/** The models that the server of a preset has, as far as they are known. */
export function modelsOf(preset: string): readonly CatalogueLine[] {
  return catalogue.filter(({ presets }) => presets.includes(preset))
}

/** The model of new threads until a person chooses one. */
export const defaultModelId = 'claude-sonnet-5-5'
