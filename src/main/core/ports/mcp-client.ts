import type { JsonObject } from '#shared/base/json.ts'
import type { UserPart } from '#shared/model/message.ts'
import type { McpTransport } from '#shared/model/settings.ts'

export interface McpTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments, an object schema. */
  readonly inputSchema: JsonObject
}

export interface McpResult {
  readonly ok: boolean
  readonly content: readonly UserPart[]
}

/** One server that answered. Disposing it ends its process or its requests. */
export interface McpConnection extends AsyncDisposable {
  readonly tools: readonly McpTool[]
  /** Throws `McpError`, and the abort reason. */
  call(tool: string, args: JsonObject, signal: AbortSignal): Promise<McpResult>
  /** Resolves with the reason when the connection is gone, by whoever's doing. */
  readonly closed: Promise<string>
  /** The last of what a server's process wrote to its standard error. */
  errorOutput(): string
}

export interface McpConnector {
  /** Starts or asks the server and reads its tools. Throws `McpError`. */
  connect(transport: McpTransport, signal: AbortSignal): Promise<McpConnection>
}

export type McpErrorCode = 'not_started' | 'timed_out' | 'closed' | 'refused'

export class McpError extends Error {
  readonly code: McpErrorCode

  constructor(code: McpErrorCode, message: string) {
    super(message)
    this.name = 'McpError'
    this.code = code
  }
}
