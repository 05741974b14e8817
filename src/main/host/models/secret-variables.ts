import { parse } from 'jsonc-parser'
import type { ProviderKind } from '#shared/model/models/provider.ts'
import { providerPresets } from './presets.ts'
import { type Profile, type Profiles, secretVariablesOf } from './profiles.ts'

/** The maker's own, which count whatever the settings say. */
const makersVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']

/** Where the packages of the clouds look for a login. */
const cloudVariables: Partial<Record<ProviderKind, readonly string[]>> = {
  bedrock: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK'],
  vertex: ['GOOGLE_APPLICATION_CREDENTIALS'],
  foundry: [
    'ANTHROPIC_FOUNDRY_API_KEY',
    'AZURE_CLIENT_SECRET',
    'AZURE_CLIENT_CERTIFICATE_PATH',
    'AZURE_CLIENT_CERTIFICATE_PASSWORD',
    'AZURE_FEDERATED_TOKEN_FILE',
    'AZURE_PASSWORD',
  ],
}

/**
 * Names of the variables that hold keys of models. `texts`: the files of settings as they are, because a profile with a
 * mistake in it is not used, and its variable holds a key all the same.
 */
export function secretVariables({ byName }: Pick<Profiles, 'byName'>, texts: readonly string[]): ReadonlySet<string> {
  const written = texts.flatMap(writtenProfiles)
  const kinds = new Set([...byName.values()].map(({ kind }) => kind))
  return new Set([
    ...makersVariables,
    ...providerPresets.flatMap(({ env }) => env ?? []),
    ...[...byName.values()].flatMap(secretVariablesOf),
    ...written.flatMap(({ variables }) => variables),
    ...[...kinds, ...written.flatMap(({ kinds: own }) => own)].flatMap((kind) => variablesOfCloud(kind)),
  ])
}

/** The variables that a profile's own command may need to find its key. */
export function ownVariables({ kind, preset, secret }: Pick<Profile, 'kind' | 'preset' | 'secret'>): readonly string[] {
  return [...secretVariablesOf({ secret }), ...(preset?.env ? [preset.env] : []), ...variablesOfCloud(kind)]
}

function variablesOfCloud(kind: string): readonly string[] {
  return Object.hasOwn(cloudVariables, kind) ? (cloudVariables[kind as ProviderKind] ?? []) : []
}

interface WrittenProfile {
  readonly variables: readonly string[]
  /** What it names as its kind or its preset. */
  readonly kinds: readonly string[]
}

/** Reads as much of a broken text as there is. */
function writtenProfiles(text: string): readonly WrittenProfile[] {
  const settings: unknown = parse(text, [], { allowTrailingComma: true })
  if (!isRecord(settings) || !isRecord(settings.providers)) return []
  return Object.values(settings.providers)
    .filter(isRecord)
    .map((profile) => {
      const { kind, preset, env, auth } = profile
      const variables = [env, isRecord(auth) ? auth.env : undefined].filter((name) => typeof name === 'string')
      return { variables, kinds: [kind, preset].filter((name) => typeof name === 'string') }
    })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
