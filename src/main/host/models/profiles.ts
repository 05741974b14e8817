import type { ModelSetting, ProviderSetting } from '#adapters/settings/providers-schema.ts'
import {
  builtInProfile,
  type ProviderKind,
  type SecretScheme,
  type ThoughtMode,
} from '#shared/model/models/provider.ts'
import { type ProviderPreset, providerPresets } from './presets.ts'

/** Where the secret of a profile comes from. `store`: the key store, under a name; null for the built-in profile's key. */
export type SecretPlace =
  | {
      readonly kind: 'store'
      readonly name: string | null
      readonly env: string | null
      /** A variable that counts after `env`, and whose secret is sent as a bearer token. */
      readonly tokenEnv?: string
    }
  | { readonly kind: 'env'; readonly variable: string }
  | { readonly kind: 'command'; readonly command: string | readonly string[] }
  | { readonly kind: 'none' }

/** One configured way to reach models. */
export interface Profile {
  readonly name: string
  readonly kind: ProviderKind
  readonly preset: ProviderPreset | null
  /** The preset whose models the catalogue knows, by their names; null for none. */
  readonly catalogue: string | null
  /** Without a slash at its end. Null for a cloud whose package knows its address. */
  readonly address: string | null
  readonly scheme: SecretScheme
  readonly secret: SecretPlace
  readonly headers: Readonly<Record<string, string>>
  /** Most requests at the same time. */
  readonly concurrency: number
  readonly thoughts: ThoughtMode
  readonly cloud: { readonly region?: string; readonly project?: string; readonly resource?: string }
  /** What the settings say of its models, by their names. */
  readonly models: Readonly<Record<string, ModelSetting>>
}

/** As many as the built-in profile always had. */
export const usualConcurrency = 10

export interface ProfileSettings {
  readonly baseUrl: string | null
  readonly providers: Readonly<Record<string, ProviderSetting>>
  readonly defaultProvider: string | null
}

export interface Profiles {
  /** By name. The built-in one is among them. */
  readonly byName: ReadonlyMap<string, Profile>
  /** The profile of models that are named without one. */
  readonly usual: Profile
  /** Sentences for a person: profiles that cannot be used, and why. */
  readonly problems: readonly string[]
}

/** The profiles that the settings and the environment describe. */
export function readProfiles(
  { baseUrl, providers, defaultProvider }: ProfileSettings,
  environment: Readonly<Record<string, string | undefined>>,
): Profiles {
  const problems: string[] = []
  const given = environment.ANTHROPIC_BASE_URL
  if (baseUrl === null && given && !isAddress(given))
    problems.push('ANTHROPIC_BASE_URL: this is not an address that begins with http:// or https://.')
  const builtIn = builtInFrom(baseUrl ?? (given || null))
  const byName = new Map<string, Profile>([[builtInProfile, builtIn]])
  for (const [name, setting] of Object.entries(providers)) {
    const made = profileFrom(name, setting)
    if (typeof made === 'string') problems.push(`providers: ${made} The profile ${name} is not used.`)
    else byName.set(name, made)
  }
  const usual = byName.get(defaultProvider ?? builtInProfile)
  if (usual) return { byName, usual, problems }
  const names = [...byName.keys()].join(', ')
  problems.push(
    `default_provider: there is no profile "${defaultProvider}". Profiles: ${names}. ${builtInProfile} is used.`,
  )
  return { byName, usual: byName.get(builtInProfile) ?? builtIn, problems }
}

/** The variables that may hold the profile's key. */
export function secretVariablesOf({ secret }: Pick<Profile, 'secret'>): readonly string[] {
  if (secret.kind === 'env') return [secret.variable]
  if (secret.kind !== 'store') return []
  return [secret.env, secret.tokenEnv].filter((name) => typeof name === 'string')
}

/** True for an address that a server of models can have. */
export function isAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol
  return protocol === 'http:' || protocol === 'https:'
}

/** True for the built-in profile while it asks its maker's own server. */
export function asksMaker({ name, preset }: Profile): boolean {
  return name === builtInProfile && preset?.id === builtInProfile
}

/** The built-in profile at another address, as it is before a person saves that address. */
export function withAddress(profile: Profile, address: string): Profile {
  const isMaker = withoutSlash(address) === findPreset(builtInProfile)?.baseUrl
  return { ...profile, address: withoutSlash(address), preset: isMaker ? (findPreset(builtInProfile) ?? null) : null }
}

function builtInFrom(address: string | null): Profile {
  const preset = address === null ? (findPreset(builtInProfile) ?? null) : null
  return {
    name: builtInProfile,
    kind: 'anthropic',
    preset,
    // Behind base_url there is often a proxy for the same models.
    catalogue: builtInProfile,
    address: withoutSlash(address ?? preset?.baseUrl ?? 'https://api.anthropic.com'),
    scheme: 'x-api-key',
    secret: makersPlace,
    headers: {},
    concurrency: usualConcurrency,
    thoughts: 'signed',
    cloud: {},
    models: {},
  }
}

/** The profile that a setting describes, or why it cannot be used. */
export function profileFrom(name: string, setting: ProviderSetting): Profile | string {
  const preset = setting.preset === undefined ? null : findPreset(setting.preset)
  if (preset === undefined) {
    const known = providerPresets.map(({ id }) => id).join(', ')
    return `${name} names the preset "${setting.preset}", which does not exist. Presets: ${known}.`
  }
  const kind = setting.kind ?? preset?.kind ?? 'anthropic'
  const isCloud = kind === 'bedrock' || kind === 'vertex' || kind === 'foundry'
  const address = setting.base_url ?? (preset?.baseUrl || null)
  if (address === null && !isCloud) return `${name} needs base_url, the address of its server, or a preset.`
  const missing = missingOfCloud(kind, setting, address)
  if (missing !== null) return `${name} needs ${missing}.`
  const { auth = {} } = setting
  const scheme = auth.scheme ?? preset?.scheme ?? (kind === 'anthropic' ? 'x-api-key' : 'bearer')
  return {
    ...{ name, kind, preset, scheme, catalogue: preset?.id ?? null },
    address: address === null ? null : withoutSlash(address),
    secret: scheme === 'none' ? { kind: 'none' } : secretPlace(name, auth, kind, preset),
    headers: setting.headers ?? {},
    concurrency: setting.concurrency ?? preset?.concurrency ?? usualConcurrency,
    thoughts: setting.thoughts ?? preset?.thoughts ?? 'signed',
    cloud: {
      ...(setting.region !== undefined && { region: setting.region }),
      ...(setting.project !== undefined && { project: setting.project }),
      ...(setting.resource !== undefined && { resource: setting.resource }),
    },
    models: setting.models ?? {},
  }
}

function secretPlace(
  name: string,
  { key, env, command }: NonNullable<ProviderSetting['auth']>,
  kind: ProviderKind,
  preset: ProviderPreset | null,
): SecretPlace {
  if (env !== undefined) return { kind: 'env', variable: env }
  if (command !== undefined) return { kind: 'command', command }
  if (key !== undefined) return { kind: 'store', name: key, env: null }
  if (name !== builtInProfile) return { kind: 'store', name, env: preset?.env ?? null }
  // The built-in profile in other words: the key that a person entered for it stays in use.
  const isMakers = kind === 'anthropic' && (preset === null || preset.id === builtInProfile)
  return isMakers ? makersPlace : { kind: 'store', name: null, env: preset?.env ?? null }
}

/** As in the maker's own SDK, the key counts before the token. */
const makersPlace: SecretPlace = {
  kind: 'store',
  name: null,
  env: 'ANTHROPIC_API_KEY',
  tokenEnv: 'ANTHROPIC_AUTH_TOKEN',
}

/** What a cloud cannot do without, in words; null for nothing. */
function missingOfCloud(kind: ProviderKind, { region, project, resource }: ProviderSetting, address: string | null) {
  if (kind === 'vertex' && (region === undefined || project === undefined)) return 'region and project'
  if (kind === 'bedrock' && region === undefined) return 'region'
  if (kind === 'foundry' && resource === undefined && address === null) return 'resource, or base_url'
  return null
}

function findPreset(id: string): ProviderPreset | undefined {
  return providerPresets.find((preset) => preset.id === id)
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '')
}
