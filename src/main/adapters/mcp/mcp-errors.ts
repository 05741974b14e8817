import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { McpError, type McpErrorCode } from '#core/ports/mcp-client.ts'

/** `otherwise`: what it means when the library says no more. */
export function toMcpError(error: unknown, otherwise: McpErrorCode, errorOutput: string): McpError {
  if (error instanceof McpError) return error
  const said = error instanceof Error ? error.message : String(error)
  const output = errorOutput.trim()
  const message = output === '' ? said : `${said} It wrote: ${output.slice(-500)}`
  if (error instanceof ProtocolError) return new McpError('refused', message)
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return new McpError('timed_out', message)
  return new McpError(otherwise, message)
}
