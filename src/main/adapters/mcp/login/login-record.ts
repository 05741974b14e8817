import type {
  AuthorizationServerMetadata,
  OAuthClientInformationFull,
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/client'
import type { McpAccount } from '#core/ports/mcp-client.ts'
import { isJsonObject, type JsonValue } from '#shared/base/json.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** A login to one server. What it holds is sent to the authorization server that gave it, and to that server, alone. */
export interface LoginRecord {
  /** The authorization server as it names itself. */
  readonly issuer: string
  /** The address under which it was found, and what it said of itself then. */
  readonly authorizationServer: string
  readonly metadata: AuthorizationServerMetadata | null
  /** What the tokens are for, as the server names itself. Null for a server that does not. */
  readonly resource: string | null
  /** Coppice as the authorization server knows it, with the address that it sends people back to. */
  readonly client: OAuthClientInformationMixed & Partial<Pick<OAuthClientInformationFull, 'redirect_uris'>>
  readonly tokens: OAuthTokens
}

/** Where logins are kept, as texts, by the address of their server. */
export interface LoginStore {
  read(address: string): Promise<string | null>
  /** `remember` is false for a login that ends with the app, and undefined for one that stays where it is. */
  write(address: string, login: string, remember?: boolean): Promise<void>
  clear(address: string): Promise<void>
}

/** The logins of a store, read and by their server. */
export interface LoginRecords {
  /** Null for none, and for one that cannot be read. */
  read(server: URL): Promise<LoginRecord | null>
  write(server: URL, record: LoginRecord, remember?: boolean): Promise<void>
  clear(server: URL): Promise<void>
}

export function keepRecords(store: LoginStore): LoginRecords {
  return {
    read: async (server) => readRecord(await store.read(keyOf(server))),
    write: (server, record, remember) => store.write(keyOf(server), JSON.stringify(record), remember),
    clear: (server) => store.clear(keyOf(server)),
  }
}

/** A fragment and a final slash make no other server. */
export function keyOf({ origin, pathname, search }: URL): string {
  return `${origin}${pathname.replace(/\/$/, '')}${search}`
}

/** Logins that end with this process. */
export function keepInMemory(): LoginStore {
  const kept = new Map<string, string>()
  return {
    read: async (address) => kept.get(address) ?? null,
    write: async (address, login) => void kept.set(address, login),
    clear: async (address) => void kept.delete(address),
  }
}

/** Null for a text that is no login, such as one of a later version. A person then logs in again. */
function readRecord(text: string | null): LoginRecord | null {
  if (text === null) return null
  try {
    const value: JsonValue = JSON.parse(text)
    if (!isJsonObject(value)) return null
    const { issuer, authorizationServer, client, tokens } = value
    const isWhole =
      typeof issuer === 'string' &&
      typeof authorizationServer === 'string' &&
      isJsonObject(client) &&
      typeof client.client_id === 'string' &&
      isJsonObject(tokens) &&
      typeof tokens.access_token === 'string'
    return isWhole ? (value as unknown as LoginRecord) : null
  } catch {
    return null
  }
}

/** Characters of a name that is shown. */
const longestName = 200

/**
 * Whose login it is. The name comes from the token endpoint itself, over an encrypted connection, and is only shown, so its
 * signature is not looked at (OpenID Connect Core, 3.1.3.7, point 6).
 */
export function accountOf({ issuer, tokens }: LoginRecord): McpAccount {
  const claims = claimsIn(tokens.id_token)
  const name = ['email', 'preferred_username', 'name'].map((key) => claims[key]).find((one) => typeof one === 'string')
  return { issuer, name: typeof name === 'string' && name.trim() !== '' ? beginningOf(name, longestName) : null }
}

function claimsIn(token: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString())
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
