import type { ModelAbilities } from '#shared/model/models/model-facts.ts'
import type { ProviderKind, SecretScheme, ThoughtMode } from '#shared/model/models/provider.ts'

/** A server that many people use, as data. A profile takes from it what it does not say itself. */
export interface ProviderPreset {
  /** The name in `preset`, and of the profile that is made from it. */
  readonly id: string
  /** For people. */
  readonly name: string
  readonly kind: ProviderKind
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly scheme: SecretScheme
  /** The environment variable that usually holds the key; null for none. */
  readonly env: string | null
  /** The address of a server on this machine is asked for its models when a person looks for local servers. */
  readonly local: boolean
  /** True when its models cost nothing for each token. */
  readonly free: boolean
  /** Most requests at the same time. */
  readonly concurrency: number
  /** How thoughts of the model go back to it. See `providers` in the settings. */
  readonly thoughts: ThoughtMode
  /** What its models can do unless more is known. */
  readonly can: Partial<ModelAbilities>
  /** Where a person gets a key or the server, and the page that the values were taken from. */
  readonly page: string
}

/** Concurrency is ours to choose: servers for the public limit accounts, not connections. */
const hosted = { local: false, free: false, concurrency: 8 } as const
/** A server that takes what it gets, without a key, and answers one request after the other. */
const desktop = {
  kind: 'anthropic',
  scheme: 'none',
  env: null,
  local: true,
  free: true,
  concurrency: 1,
  thoughts: 'all',
  can: { tools: true, caching: false },
} as const
/** The SDK builds the address from the region, the project or the resource. */
const cloud = {
  ...hosted,
  baseUrl: '',
  scheme: 'none',
  env: null,
  thoughts: 'signed',
  can: { tools: true, images: true, caching: true },
} as const

/**
 * Makers of models first, then clouds, gateways and servers on this machine. Addresses of this machine are numbers,
 * because `localhost` may be tried over IPv6 first, where these servers do not listen.
 */
export const providerPresets: readonly ProviderPreset[] = [
  {
    ...hosted,
    id: 'anthropic',
    name: 'Anthropic',
    kind: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    scheme: 'x-api-key',
    env: 'ANTHROPIC_API_KEY',
    thoughts: 'signed',
    can: { tools: true, images: true, caching: true },
    page: 'https://platform.claude.com/docs/en/api/overview',
  },
  {
    ...hosted,
    id: 'openai',
    name: 'OpenAI',
    kind: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    scheme: 'bearer',
    env: 'OPENAI_API_KEY',
    thoughts: 'signed',
    // Its cache needs no marks.
    can: { tools: true, images: true, caching: false },
    page: 'https://developers.openai.com/api/docs/models',
  },
  {
    ...hosted,
    id: 'deepseek',
    name: 'DeepSeek',
    kind: 'anthropic',
    baseUrl: 'https://api.deepseek.com/anthropic',
    scheme: 'x-api-key',
    env: 'DEEPSEEK_API_KEY',
    thoughts: 'all',
    can: { tools: true, caching: false },
    page: 'https://api-docs.deepseek.com/guides/anthropic_api',
  },
  {
    ...hosted,
    id: 'zai',
    name: 'Z.ai',
    kind: 'anthropic',
    baseUrl: 'https://api.z.ai/api/anthropic',
    scheme: 'bearer',
    env: 'ZAI_API_KEY',
    thoughts: 'all',
    can: { tools: true, caching: false },
    page: 'https://docs.z.ai/guides/overview/pricing',
  },
  {
    ...hosted,
    id: 'moonshot',
    name: 'Moonshot AI (Kimi)',
    kind: 'anthropic',
    baseUrl: 'https://api.moonshot.ai/anthropic',
    scheme: 'bearer',
    env: 'MOONSHOT_API_KEY',
    thoughts: 'all',
    can: { tools: true, images: true, caching: false },
    page: 'https://platform.kimi.ai/docs/overview',
  },
  {
    ...hosted,
    id: 'minimax',
    name: 'MiniMax',
    kind: 'anthropic',
    baseUrl: 'https://api.minimax.io/anthropic',
    scheme: 'x-api-key',
    env: 'MINIMAX_API_KEY',
    thoughts: 'all',
    can: { tools: true, caching: true },
    page: 'https://platform.minimax.io/docs/api-reference/text-anthropic-api',
  },
  {
    ...cloud,
    id: 'bedrock',
    name: 'Amazon Bedrock',
    kind: 'bedrock',
    page: 'https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock',
  },
  {
    ...cloud,
    id: 'vertex',
    name: 'Google Vertex AI',
    kind: 'vertex',
    page: 'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai',
  },
  {
    ...cloud,
    id: 'foundry',
    name: 'Microsoft Foundry',
    kind: 'foundry',
    scheme: 'x-api-key',
    env: 'ANTHROPIC_FOUNDRY_API_KEY',
    page: 'https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry',
  },
  {
    ...hosted,
    id: 'openrouter',
    name: 'OpenRouter',
    kind: 'anthropic',
    baseUrl: 'https://openrouter.ai/api',
    scheme: 'bearer',
    env: 'OPENROUTER_API_KEY',
    thoughts: 'signed',
    can: { tools: true, caching: true },
    page: 'https://openrouter.ai/docs/guides/coding-agents/claude-code-integration',
  },
  {
    ...hosted,
    id: 'vercel',
    name: 'Vercel AI Gateway',
    kind: 'anthropic',
    baseUrl: 'https://ai-gateway.vercel.sh',
    scheme: 'bearer',
    env: 'AI_GATEWAY_API_KEY',
    thoughts: 'signed',
    can: { tools: true, caching: true },
    page: 'https://vercel.com/docs/agent-resources/coding-agents',
  },
  {
    ...hosted,
    id: 'ollama-cloud',
    name: 'Ollama Cloud',
    kind: 'anthropic',
    baseUrl: 'https://ollama.com',
    scheme: 'bearer',
    env: 'OLLAMA_API_KEY',
    thoughts: 'all',
    can: { tools: true, caching: false },
    page: 'https://docs.ollama.com/api/anthropic-compatibility',
  },
  {
    ...hosted,
    id: 'litellm',
    name: 'LiteLLM',
    kind: 'anthropic',
    baseUrl: 'http://127.0.0.1:4000',
    scheme: 'bearer',
    env: 'LITELLM_PROXY_API_KEY',
    local: true,
    thoughts: 'signed',
    can: { tools: true, caching: true },
    page: 'https://docs.litellm.ai/docs/anthropic_unified',
  },
  {
    ...desktop,
    id: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434',
    page: 'https://docs.ollama.com/api/anthropic-compatibility',
  },
  {
    ...desktop,
    id: 'lmstudio',
    name: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234',
    page: 'https://lmstudio.ai/docs/developer/anthropic-compat',
  },
  {
    ...desktop,
    id: 'llamacpp',
    name: 'llama.cpp',
    baseUrl: 'http://127.0.0.1:8080',
    page: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
  },
  {
    ...desktop,
    id: 'vllm',
    name: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000',
    // It is made for many requests at the same time, and so is the next.
    concurrency: 8,
    page: 'https://docs.vllm.ai/en/latest/serving/integrations/claude_code',
  },
  {
    ...desktop,
    id: 'sglang',
    name: 'SGLang',
    baseUrl: 'http://127.0.0.1:30000',
    concurrency: 8,
    page: 'https://docs.sglang.ai',
  },
]
