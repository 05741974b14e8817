import { AsyncLocalStorage } from 'node:async_hooks'
import { ModelError } from '#core/ports/model-client.ts'
import type { ModelServer } from '#core/ports/model-server.ts'
import { guardedFetch } from '../model-http/guarded-fetch.ts'
import type { ConnectMessages, MessagesApi } from './anthropic-client.ts'

export type CloudKind = 'bedrock' | 'vertex' | 'foundry'

/** The maker's own package for each cloud, and the class in it. */
const cloudPackages: Readonly<Record<CloudKind, { readonly name: string; readonly exported: string }>> = {
  bedrock: { name: '@anthropic-ai/bedrock-sdk', exported: 'AnthropicBedrock' },
  vertex: { name: '@anthropic-ai/vertex-sdk', exported: 'AnthropicVertex' },
  foundry: { name: '@anthropic-ai/foundry-sdk', exported: 'AnthropicFoundry' },
}

export interface CloudOptions {
  readonly region?: string
  readonly project?: string
  readonly resource?: string
  /** Null lets the package find its cloud's own login. Rejects with `ModelError`. */
  readonly secret: (signal: AbortSignal) => Promise<string | null>
  /** Null for the cloud's own address. */
  readonly address: string | null
  /** The person's own headers. */
  readonly headers: Readonly<Record<string, string>>
  /** Loads an optional package. Rejects when it is not installed. */
  readonly load: (name: string) => Promise<Readonly<Record<string, unknown>>>
  /** The command that installs a package, for a person. */
  readonly installCommand: (name: string) => string
}

/**
 * Connects through the maker's package for a cloud, which is loaded now. One client serves all requests with the same
 * secret, because it remembers the login that it found.
 */
export function connectCloud(kind: CloudKind, options: CloudOptions): ConnectMessages {
  const watched = new AsyncLocalStorage<typeof fetch>()
  const watchedFetch: typeof fetch = (input, init) => (watched.getStore() ?? guardedFetch)(input, init)
  let known: { readonly secret: string | null; readonly client: Promise<MessagesApi> } | undefined
  return async (_server: ModelServer, { fetch: watch, signal }) => {
    const secret = await options.secret(signal)
    if (known?.secret !== secret) known = { secret, client: openCloud(kind, options, secret, watchedFetch) }
    const { client: opening } = known
    opening.catch(() => {
      known = undefined
    })
    const client = await opening
    const post: MessagesApi['post'] = (path, request) => watched.run(watch, () => client.post(path, request))
    return { post, ...(client.models && { models: client.models }) }
  }
}

async function openCloud(
  kind: CloudKind,
  options: CloudOptions,
  secret: string | null,
  watchedFetch: typeof fetch,
): Promise<MessagesApi> {
  const { name, exported } = cloudPackages[kind]
  const loaded = await options.load(name).catch((error: unknown) => {
    const why = error instanceof Error && !isMissing(error) ? ` It could not be loaded: ${error.message}.` : ''
    throw new ModelError(
      'no_key',
      `Models of the kind ${kind} need the package ${name}.${why} Install it with: ${options.installCommand(name)}`,
    )
  })
  const Client = loaded[exported] as new (given: object) => MessagesApi
  const common = {
    ...(options.address !== null && { baseURL: options.address }),
    defaultHeaders: options.headers,
    maxRetries: 0,
    logLevel: 'off',
    fetch: watchedFetch,
  }
  return new Client({ ...common, ...ownOptions[kind](options, secret) })
}

/** How each package calls the parts. Null keeps it from reading the environment where the settings say something. */
const ownOptions: Readonly<Record<CloudKind, (options: CloudOptions, secret: string | null) => object>> = {
  bedrock: ({ region }, secret) => ({ awsRegion: region, ...(secret !== null && { apiKey: secret }) }),
  vertex: ({ region, project }, secret) => ({
    region,
    projectId: project,
    // The package takes a token only from an object that stands for a login.
    ...(secret !== null && { authClient: tokenLogin(secret) }),
  }),
  foundry: ({ resource, address }, secret) => ({
    ...(address === null && { resource }),
    ...(secret !== null && { apiKey: secret }),
  }),
}

function tokenLogin(token: string) {
  return { getRequestHeaders: async () => new Headers({ authorization: `Bearer ${token}` }) }
}

function isMissing(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}
