import { isDeepStrictEqual } from 'node:util'
import type { CloudKind } from '#adapters/anthropic/cloud.ts'
import { createModelGate, type ModelGate } from '#core/agent/model/model-gate.ts'
import { type ModelClient, ModelError } from '#core/ports/model-client.ts'
import { createDialect, type Dialect, type ModelServer, withinLimits } from '#core/ports/model-server.ts'
import type { ModelFacts } from '#shared/model/models/model-facts.ts'
import { builtInProfile } from '#shared/model/models/provider.ts'
import { findFacts } from './facts.ts'
import type { LearnedServers } from './learned-servers.ts'
import type { OptionalPackages } from './optional-packages.ts'
import { createProfileClient } from './profile-client.ts'
import { openProfileSecret, type ProfileSecret, type SecretOptions, shortestSecret } from './profile-secret.ts'
import { asksMaker, isAddress, type Profile } from './profiles.ts'

/** A profile with its secret and its client. */
export interface OpenProfile {
  readonly profile: Profile
  readonly secret: ProfileSecret
  readonly client: ModelClient
  readonly gate: ModelGate
  /** What its server refuses. */
  readonly dialect: Dialect
  /** By the server's own name of the model. */
  factsOf(id: string): ModelFacts
  /** Why it cannot be asked, as a sentence for a person; null when it can. */
  findProblem(): string | null
}

export interface ProfileParts extends SecretOptions {
  readonly learned: LearnedServers
  readonly packages: OptionalPackages
  /** True for a profile that is only tried: what its server refuses is kept nowhere. */
  readonly isTrial?: boolean
  /** The profile as it was opened before a change of the settings. What the change did not touch goes on. */
  readonly before?: OpenProfile | undefined
}

/** `idOf`: the server's name of a model that a request names. */
export function openProfile(
  profile: Profile,
  { before, ...parts }: ProfileParts,
  idOf: (model: string) => string,
): OpenProfile {
  const { learned, isTrial = false } = parts
  const secret = before && isSameSecret(before.profile, profile) ? before.secret : openProfileSecret(profile, parts)
  const isSameGate = before?.profile.concurrency === profile.concurrency
  const address = profile.address ?? ''
  const dialect = isTrial ? createDialect() : learned.dialect(profile.name, () => address)
  const factsOf = (id: string) =>
    withinLimits(findFacts(profile, id, learned.listed(profile.name, address)), dialect.limitsOf(id))
  const server: ModelServer = {
    profile: profile.name,
    address: () => address,
    async headers(signal) {
      const wrong = wrongAddress(profile)
      if (wrong !== null) throw new ModelError('bad_request', wrong)
      return headersOf(profile, secret, signal)
    },
    renewSecret: () => secret.renew(),
    hideSecret: (text) => hideHeaders(secret.hide(text), profile.headers),
    factsOf,
    dialect,
  }
  return {
    ...{ profile, secret, dialect, factsOf },
    client: createProfileClient({
      profile,
      idOf,
      open: () => openAdapter(server, profile, secret, parts),
      demandsThoughts: (id) => dialect.refusedBy(id).has('no_thoughts'),
    }),
    gate: before && isSameGate ? before.gate : createModelGate(profile.concurrency),
    findProblem() {
      const wrong = wrongAddress(profile)
      if (wrong !== null) return wrong
      return needsSecret(profile) && secret.isRead() && secret.source() === null ? missingSecret(profile) : null
    },
  }
}

/** True when both have their secret from the same place and send it to the same server. */
function isSameSecret(before: Profile, after: Profile): boolean {
  const isSamePlace = before.name === after.name && isDeepStrictEqual(before.secret, after.secret)
  return isSamePlace && isSameOrigin(before.address, after.address)
}

/** True for addresses of one server, and for two that are its cloud's own. */
export function isSameOrigin(one: string | null, other: string | null): boolean {
  const originOf = (address: string | null) => (address === null ? null : (URL.parse(address)?.origin ?? address))
  return originOf(one) === originOf(other)
}

/** Why its address is none, as a sentence for a person; null when it is one. The environment may hold anything. */
function wrongAddress({ name, address }: Profile): string | null {
  if (address === null || isAddress(address)) return null
  const where = name === builtInProfile ? 'base_url or ANTHROPIC_BASE_URL' : 'base_url'
  return `The address of ${name} is not one that begins with http:// or https://. Check ${where}.`
}

/** True for a profile that cannot be asked without a secret. */
export function needsSecret(profile: Profile): boolean {
  const isCloud = profile.kind === 'bedrock' || profile.kind === 'vertex'
  if (profile.scheme === 'none' || profile.secret.kind === 'none' || isCloud) return false
  // A server behind base_url often needs none.
  return profile.name === builtInProfile ? asksMaker(profile) : !profile.preset?.local
}

/** Loads what the profile's kind needs, and nothing else. */
async function openAdapter(
  server: ModelServer,
  profile: Profile,
  secret: ProfileSecret,
  { packages }: ProfileParts,
): Promise<ModelClient> {
  if (profile.kind === 'openai') {
    const { createOpenAiClient } = await import('#adapters/openai/openai-client.ts')
    return createOpenAiClient(server)
  }
  const { createAnthropicClient } = await import('#adapters/anthropic/anthropic-client.ts')
  if (profile.kind === 'anthropic') return createAnthropicClient(server)
  const { connectCloud } = await import('#adapters/anthropic/cloud.ts')
  const { address, headers, cloud } = profile
  const kind: CloudKind = profile.kind
  return createAnthropicClient(
    server,
    connectCloud(kind, { ...cloud, ...packages, address, headers, secret: (signal) => secret.read(signal) }),
  )
}

async function headersOf(
  profile: Profile,
  secret: ProfileSecret,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string | null>>> {
  const { scheme, headers } = profile
  if (scheme === 'none') return headers
  const key = await secret.read(signal)
  if (key === null && needsSecret(profile)) throw new ModelError('no_key', missingSecret(profile))
  if (key !== null && !isSendable(key)) throw new ModelError('no_key', unsendableSecret(profile))
  // Servers of one's own often want some key and do not look at it.
  const sent = key ?? 'none'
  const isBearer = scheme === 'bearer' || secret.isToken()
  return { ...(isBearer ? { authorization: `Bearer ${sent}` } : { 'x-api-key': sent }), ...headers }
}

/** False for a text that no header can carry. */
function isSendable(key: string): boolean {
  return /^[\x20-\x7e\x80-\xff]+$/.test(key)
}

function unsendableSecret({ name }: Profile): string {
  return `The key of ${name} has characters that cannot be sent, such as a line break or a curly quote. Copy it once more.`
}

/** The text without the person's own headers, which may hold a key in spite of what the settings say. */
function hideHeaders(text: string, headers: Profile['headers']): string {
  const values = Object.values(headers).flatMap((value) => [value.trim(), ...value.trim().split(/\s+/)])
  return values
    .filter(({ length }) => length >= shortestSecret)
    .reduce((rest, value) => rest.replaceAll(value, '[a header]'), text)
}

function missingSecret({ name, secret, preset }: Profile): string {
  if (name === builtInProfile)
    return 'No API key is set. Set ANTHROPIC_API_KEY, add a key or a base URL in Settings, or use the model "demo", which works offline.'
  if (secret.kind === 'env')
    return `The profile ${name} takes its key from ${secret.variable}, which is not set. Set it and start Coppice again, or add a key in Settings.`
  const variable = preset?.env ? ` or set ${preset.env}` : ''
  return `There is no key for the profile ${name}. Add one in Settings → Models${variable}.`
}
