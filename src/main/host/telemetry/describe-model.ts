import { agentIn } from '#shared/model/models/agent-model.ts'
import type { ProviderKind } from '#shared/model/models/provider.ts'
import type { Profiles } from '../models/profiles.ts'
import { findStored } from '../models/references.ts'

/** The names of the conventions for generative AI. */
const providers: Readonly<Record<ProviderKind, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  bedrock: 'aws.bedrock',
  vertex: 'gcp.vertex_ai',
  foundry: 'azure.ai.inference',
}

/** The provider and its own name of a model, by the full name that a thread has. */
export function describeModel(
  model: string,
  profiles: Profiles,
): { readonly provider: string; readonly model: string } {
  if (agentIn(model) !== null) return { provider: 'coppice.external_agent', model }
  const found = findStored(model, profiles)
  if (!found.ok) return { provider: 'coppice', model }
  const { profile, id } = found.value
  return { provider: providers[profile.kind], model: id }
}
