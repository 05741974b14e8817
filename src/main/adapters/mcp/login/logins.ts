import { type AuthProvider, computeScopeUnion } from '@modelcontextprotocol/client'
import type { McpAccount, McpLogin } from '#core/ports/mcp-client.ts'
import type { McpOAuth } from '#shared/model/settings.ts'
import { beginLogin } from './begin-login.ts'
import { createLoginFetch } from './login-fetch.ts'
import { accountOf, keepRecords, keyOf, type LoginRecord, type LoginStore } from './login-record.ts'
import { createRenewals } from './renew-login.ts'

/** The logins of all servers. Those who use one server share its login, and renew it together. */
export interface Logins {
  /**
   * What requests to a server carry, for requests that `fetchFn` makes. A login that is refused is renewed once; `McpError`
   * `login` says to log in again.
   */
  bearer(server: URL, fetchFn: typeof fetch): { readonly authProvider: AuthProvider; readonly fetch: typeof fetch }
  /** Remembers rights that the server asked for in a call, for the next login. */
  want(server: URL, scope: string | undefined): void
  /** Throws `McpError`, and the abort reason. */
  begin(server: URL, settings: McpOAuth, remember: boolean, signal: AbortSignal): Promise<McpLogin>
  account(server: URL): Promise<McpAccount | null>
  /** Forgets the login, and tells the one who gave it. */
  end(server: URL): Promise<void>
}

/** A person finds a password, a phone and a second page in this time. */
const usualLimitMs = 5 * 60_000

export function createLogins(store: LoginStore, limitMs = usualLimitMs): Logins {
  const records = keepRecords(store)
  const renew = createRenewals(records)
  const wanted = new Map<string, string>()
  return {
    bearer(server, fetchFn) {
      /** Which login was refused. By then another call may have renewed it. */
      const carried = new WeakMap<Response, string>()
      return {
        authProvider: {
          token: async () => (await records.read(server))?.tokens.access_token,
          onUnauthorized: ({ response }) => renew(server, carried.get(response) ?? ''),
        },
        async fetch(url, init) {
          const response = await fetchFn(url, init)
          const header = new Headers(init?.headers).get('authorization')
          if (header !== null) carried.set(response, header.replace(/^Bearer /, ''))
          return response
        },
      }
    },
    want(server, scope) {
      const union = computeScopeUnion(wanted.get(keyOf(server)), scope)
      if (union !== undefined) wanted.set(keyOf(server), union)
    },
    async begin(server, settings, remember, signal) {
      const known = await records.read(server)
      const more = wanted.get(keyOf(server))
      const keep = (record: LoginRecord) => records.write(server, record, remember)
      const request = { server, settings, known, limitMs, keep }
      return beginLogin({ ...request, wanted: more && computeScopeUnion(known?.tokens.scope, more) }, signal)
    },
    async account(server) {
      const record = await records.read(server)
      return record && accountOf(record)
    },
    async end(server) {
      const record = await records.read(server)
      await records.clear(server)
      if (record) await revoke(record, server)
    },
  }
}

/** By RFC 7009. It is forgotten here whether or not its giver answers. */
async function revoke({ metadata, client, tokens }: LoginRecord, server: URL): Promise<void> {
  const endpoint = metadata && 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined
  if (typeof endpoint !== 'string') return
  const token = tokens.refresh_token ?? tokens.access_token
  const body = new URLSearchParams({ token, client_id: client.client_id })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  try {
    await createLoginFetch(server, AbortSignal.timeout(revokeMs))(endpoint, { method: 'POST', headers, body })
  } catch {
    // The token ends by itself.
  }
}

const revokeMs = 5_000
