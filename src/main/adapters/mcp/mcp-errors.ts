import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { reasonOf } from '#adapters/system/outgoing/outgoing.ts'
import { McpError, type McpErrorCode } from '#core/ports/mcp-client.ts'
import { tailOf } from '#shared/text/whole-characters.ts'

/** `otherwise` is the code to use when the library's error says no more. */
export function toMcpError(error: unknown, otherwise: McpErrorCode, errorOutput: string): McpError {
  if (error instanceof McpError) return error
  if (error instanceof InsufficientScopeError)
    return new McpError('login', 'Its login does not give the right to this. Log in again to ask for it.')
  if (error instanceof UnauthorizedError || isRefusedAgain(error))
    return new McpError('login', 'It does not accept its own login. Log in again.')
  const said = error instanceof TypeError ? reasonOf(error) : error instanceof Error ? error.message : String(error)
  const output = errorOutput.trim()
  const message = output === '' ? said : `${said} It wrote: ${tailOf(output, 500)}`
  if (error instanceof ProtocolError) return new McpError('refused', message)
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return new McpError('timed_out', message)
  return new McpError(otherwise, message)
}

/** The login was renewed, and the server refused the new one too. */
function isRefusedAgain(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ClientHttpAuthentication
}
