import { failure, type Result, success } from '#shared/base/result.ts'

/** Prefixes with which other systems name the provider of a model, as in `openai:gpt-5`. */
const foreignProviders: ReadonlySet<string> = new Set([
  'azure_ai',
  'azure_openai',
  'bedrock',
  'bedrock_converse',
  'cohere',
  'deepseek',
  'fireworks',
  'google',
  'google_genai',
  'google_vertexai',
  'groq',
  'huggingface',
  'ibm',
  'mistralai',
  'nvidia',
  'ollama',
  'openai',
  'openrouter',
  'perplexity',
  'together',
  'vertexai',
  'xai',
])

/**
 * The model to ask the configured server for. A name like `provider:model` is never sent as it is: the provider must be
 * the configured one. A server's own names may contain a colon, as in `llama3:8b`.
 */
export function resolveModelName(given: string, baseUrl: string | null): Result<string, string> {
  const colon = given.indexOf(':')
  const [provider, model] = [given.slice(0, colon), given.slice(colon + 1)]
  if (colon < 1 || model === '') return success(given)
  if (provider === 'anthropic' && baseUrl === null) return success(model)
  if (provider !== 'anthropic' && !foreignProviders.has(provider)) return success(given)
  const configured = baseUrl === null ? 'the Anthropic API' : `the server at ${baseUrl}`
  return failure(
    `${given} asks for the provider ${provider}, but only ${configured} is configured. Name one of its models, or leave the model out.`,
  )
}
