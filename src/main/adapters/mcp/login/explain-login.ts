import { IssuerMismatchError, OAuthError, RegistrationRejectedError } from '@modelcontextprotocol/client'
import { reasonOf } from '#adapters/system/outgoing/outgoing.ts'
import { McpError } from '#core/ports/mcp-client.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** Carries out a part of a login. Throws `McpError` with a sentence for a person, and the abort reason. */
export async function explained<Value>(signal: AbortSignal, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act()
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof McpError ? error : new McpError('login', `The login did not work: ${sentenceOf(error)}`)
  }
}

/** Characters of what somebody else wrote. */
const shown = 300

function sentenceOf(error: unknown): string {
  // What came in place of the issuer may be the words of an attacker, so it is not shown (RFC 9207, 2.4).
  if (error instanceof IssuerMismatchError)
    return error.kind === 'metadata'
      ? 'The place to log in at says that it is another one.'
      : 'The browser came back from another place than the one it was sent to. Nothing was taken from there.'
  if (error instanceof RegistrationRejectedError && (error.status === 404 || error.status === 405))
    return 'The server does not say where to log in. If it takes a key, give its definition a header "Authorization".'
  if (error instanceof RegistrationRejectedError)
    return `Coppice may not register itself (HTTP ${error.status}). ${ownClient}`
  if (error instanceof Error && error.message.includes('does not support dynamic client registration'))
    return `Coppice cannot register itself. ${ownClient}`
  if (error instanceof OAuthError) return `It was refused (${oneLine(beginningOf(String(error.code), shown))}).`
  return oneLine(beginningOf(reasonOf(error), shown))
}

const ownClient =
  'Register it there yourself, and give the server "oauth": {"client_id": …, "callback_port": …} in its definition.'
