import { OAuthError, OAuthErrorCode, refreshAuthorization } from '@modelcontextprotocol/client'
import { McpError } from '#core/ports/mcp-client.ts'
import { explained } from './explain-login.ts'
import { createLoginFetch } from './login-fetch.ts'
import { keyOf, type LoginRecord, type LoginRecords } from './login-record.ts'

/** Milliseconds for the renewal of a login, which a call waits for. */
const renewMs = 20_000

const needsLogin = 'It needs a login.'
const needsNewLogin = 'Its login is no longer valid. Log in again.'

/**
 * Renews a login that a server has refused, once for all who met that. Asked for twice, the second renewal would take the login
 * away, because its token was used already (OAuth 2.1, 4.3.1). Throws `McpError` `login` when a person has to log in.
 */
export function createRenewals(records: LoginRecords): (server: URL, refused: string) => Promise<void> {
  const running = new Map<string, Promise<void>>()
  return (server, refused) => {
    const key = keyOf(server)
    const known = running.get(key)
    if (known) return known
    const work = renew(records, server, refused).finally(() => running.delete(key))
    running.set(key, work)
    return work
  }
}

async function renew(records: LoginRecords, server: URL, refused: string): Promise<void> {
  const record = await records.read(server)
  if (!record) throw new McpError('login', needsLogin)
  // Another call, or another process, has renewed it meanwhile.
  if (record.tokens.access_token !== refused) return
  const tokens = await ask(record, server)
  if (tokens) return records.write(server, { ...record, tokens })
  const now = await records.read(server)
  if (now && now.tokens.access_token !== refused) return
  await records.clear(server)
  throw new McpError('login', needsNewLogin)
}

/** Asks the one who gave it, whomever the server names by now. Null when it will never be renewed again. */
async function ask(record: LoginRecord, server: URL): Promise<LoginRecord['tokens'] | null> {
  const { authorizationServer, client, metadata, resource, tokens } = record
  const { refresh_token: refreshToken, id_token: who } = tokens
  if (refreshToken === undefined) return null
  const signal = AbortSignal.timeout(renewMs)
  try {
    const fresh = await refreshAuthorization(authorizationServer, {
      ...{ clientInformation: client, refreshToken, fetchFn: createLoginFetch(server, signal) },
      ...(metadata && { metadata }),
      ...(resource !== null && { resource }),
    })
    return { ...(who !== undefined && { id_token: who }), ...fresh }
  } catch (error) {
    if (isFinal(error)) return null
    return explained(signal, () => Promise.reject(error))
  }
}

function isFinal(error: unknown): boolean {
  const codes: readonly string[] = [
    OAuthErrorCode.InvalidGrant,
    OAuthErrorCode.InvalidClient,
    OAuthErrorCode.UnauthorizedClient,
  ]
  return error instanceof OAuthError && codes.includes(error.code)
}
