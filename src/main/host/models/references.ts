import { demoModelId } from '#adapters/demo/demo-model.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
import { builtInProfile } from '#shared/model/models/provider.ts'
import { asksMaker, type Profile, type Profiles } from './profiles.ts'

/** A model of a profile. */
export interface ModelReference {
  readonly profile: Profile
  /** What the profile's server calls it. */
  readonly id: string
}

/**
 * The model that a name means: `profile/model`, or a model of the usual profile. A server's own names may contain slashes
 * and colons, as in `gate/meta/llama3:8b`. The error is a sentence that says which profiles there are.
 */
export function findReference(given: string, profiles: Profiles): Result<ModelReference, string> {
  const { byName, usual } = profiles
  const slash = given.indexOf('/')
  const [head, rest] = [given.slice(0, slash), given.slice(slash + 1)]
  if (slash > 0 && rest !== '') {
    const named = byName.get(head)
    // A server behind base_url may have models whose names begin with its maker, as in `anthropic/claude-x`.
    const isOwnName = head === builtInProfile && named === usual && !asksMaker(usual)
    if (named && !isOwnName) return success({ profile: named, id: rest })
    if (!named && asksMaker(usual))
      return failure(`${given}: there is no profile "${head}". Profiles: ${[...byName.keys()].join(', ')}.`)
  }
  return withoutForeignProvider(given, usual)
}

/**
 * The model that a thread's name means. A plain name is of the built-in profile, also after another one became the usual
 * one: a thread never goes to another server because of a setting.
 */
export function findStored(name: string, profiles: Profiles): Result<ModelReference, string> {
  return findReference(name, { ...profiles, usual: profiles.byName.get(builtInProfile) ?? profiles.usual })
}

/** How threads and settings name the model. A model of the built-in profile goes by its own name while that is usual. */
export function referenceName({ profile, id }: ModelReference, { usual }: Pick<Profiles, 'usual'>): string {
  return profile === usual && profile.name === builtInProfile ? id : `${profile.name}/${id}`
}

/** True for the model that is built in and needs no profile. */
export function isDemo(model: string): boolean {
  return model === demoModelId
}

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

/** A name like `provider:model` is never sent as it is: the provider must be the profile's own. */
function withoutForeignProvider(given: string, profile: Profile): Result<ModelReference, string> {
  const colon = given.indexOf(':')
  const [provider, id] = [given.slice(0, colon), given.slice(colon + 1)]
  if (colon < 1 || id === '') return success({ profile, id: given })
  if (provider === 'anthropic' && asksMaker(profile)) return success({ profile, id })
  if (provider !== 'anthropic' && !foreignProviders.has(provider)) return success({ profile, id: given })
  const configured = asksMaker(profile) ? 'the Anthropic API' : `the server at ${profile.address ?? profile.name}`
  return failure(
    `${given} asks for the provider ${provider}, but only ${configured} is configured for models without a profile. Name one of its models, name a profile (profile/model), or leave the model out.`,
  )
}
