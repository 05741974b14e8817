import { defineError } from '#shared/base/define-error.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { UserPart } from '#shared/model/message.ts'
import type { McpTransport } from '#shared/model/settings.ts'

export interface McpTool {
  /** Unique only on its server; the model calls it by another name. */
  readonly name: string
  /** The server's own description; empty when it gives none. */
  readonly description: string
  /** JSON Schema of the arguments, an object schema. */
  readonly inputSchema: JsonObject
}

export interface McpResult {
  /** False when the tool itself reported an error. */
  readonly ok: boolean
  /** Text and images. Other parts are replaced by a text that names them. */
  readonly content: readonly UserPart[]
}

/** A text that a server offers to begin a message with, which a person chooses by its name. */
export interface McpPrompt {
  /** Unique only on its server. */
  readonly name: string
  /** The server's own description; empty when it gives none. */
  readonly description: string
  /** In the order in which the server lists them. */
  readonly arguments: readonly {
    readonly name: string
    /** Empty when the server gives none. */
    readonly description: string
    readonly required: boolean
  }[]
}

/** One connected server. Disposing it ends its process or its requests. */
export interface McpConnection extends AsyncDisposable {
  /** As the server listed them when it was connected. */
  readonly tools: readonly McpTool[]
  /** A sentence for each tool that is not offered, or not as it was listed. */
  readonly problems: readonly string[]
  /** `tool` is the server's own name for it. Throws `McpError`, and the abort reason. */
  call(tool: string, args: JsonObject, signal: AbortSignal): Promise<McpResult>
  /** Empty for a server without prompts. Throws `McpError`, and the abort reason. */
  listPrompts(signal: AbortSignal): Promise<readonly McpPrompt[]>
  /**
   * The messages of a prompt, joined in their order. `prompt` is the server's own name for it, and each value belongs to one
   * of its arguments. Throws `McpError`, and the abort reason.
   */
  getPrompt(prompt: string, values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly UserPart[]>
  /** Resolves with the reason once the connection has ended, whichever side closed it. Never rejects. */
  readonly closed: Promise<string>
  /** The end of the server's standard error, of limited length. Empty for a remote server. */
  errorOutput(): string
}

export interface McpConnector {
  /** Starts or contacts the server and reads its tools. Throws `McpError`. */
  connect(transport: McpTransport, signal: AbortSignal): Promise<McpConnection>
}

export type McpErrorCode = 'not_started' | 'timed_out' | 'closed' | 'refused'

export const McpError = defineError<McpErrorCode>('McpError')
export type McpError = InstanceType<typeof McpError>
