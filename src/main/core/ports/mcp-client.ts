import { defineError } from '#shared/base/define-error.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { AskedByServer, ServerAnswer } from '#shared/model/calls/server-question.ts'
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

/** A message that a server has ready for a person. */
export interface McpPrompt {
  /** Unique only on its server. */
  readonly name: string
  /** The server's own description; empty when it gives none. */
  readonly description: string
  /** What a person says with it, in its order. */
  readonly parameters: readonly { readonly name: string; readonly isRequired: boolean }[]
}

/** Something that a server lets a person read into a message. */
export interface McpResource {
  /** Names it on its server. For a template: what every address of it begins with. */
  readonly uri: string
  /** The server's own name for it. */
  readonly name: string
  /** The server's own description; empty when it gives none. */
  readonly description: string
  /** Set for a template, whose address a person completes. */
  readonly isTemplate?: true
}

export interface McpResult {
  /** False when the tool itself reported an error. */
  readonly ok: boolean
  /** Text and images. Other parts are replaced by a text that names them, and a structured result is there as JSON. */
  readonly content: readonly UserPart[]
}

/** What a server may say and ask while it works on a call. */
export interface McpCallHooks {
  /** Gets what the server reports, a line at a time. */
  readonly onProgress?: (line: string) => void
  /** Asks the person. The time of the call stands still meanwhile. Absent where nobody can be asked: then it is declined. */
  readonly onQuestion?: (question: AskedByServer, signal: AbortSignal) => Promise<ServerAnswer>
}

/** One connected server. Disposing it ends its process or its requests. */
export interface McpConnection extends AsyncDisposable {
  /** As the server listed them last: the same list until it says that they changed. */
  readonly tools: readonly McpTool[]
  /** As the server listed them when it was connected; empty for one that has none. */
  readonly prompts: readonly McpPrompt[]
  /** Likewise. */
  readonly resources: readonly McpResource[]
  /** A sentence for each tool of that list that is not offered, or not as it was listed. */
  readonly problems: readonly string[]
  /**
   * `tool` is the server's own name for it. A call that is aborted is cancelled there too. Throws `McpError`, and the abort
   * reason.
   */
  call(tool: string, args: JsonObject, signal: AbortSignal, hooks?: McpCallHooks): Promise<McpResult>
  /** What a prompt says, as text. Throws `McpError`, and the abort reason. */
  promptText(prompt: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>
  /** What a resource holds, in bounds. Throws `McpError`, and the abort reason. */
  readResource(uri: string, signal: AbortSignal): Promise<readonly UserPart[]>
  /** Resolves with the reason once the connection has ended, whichever side closed it. Never rejects. */
  readonly closed: Promise<string>
  /** The end of the server's standard error, of limited length. Empty for a remote server. */
  errorOutput(): string
}

/** Whose login to a server it is. */
export interface McpAccount {
  /** The authorization server, as it names itself. */
  readonly issuer: string
  /** What the authorization server says of the person; null when it says nothing. */
  readonly name: string | null
}

/** A login that waits for a person in a browser. Disposing it cancels it. */
export interface McpLogin extends AsyncDisposable {
  /** The page to log in at. Show it whole, and open it only when the person wants that. */
  readonly address: string
  /** Rejects with `McpError`. */
  readonly done: Promise<McpAccount>
  /**
   * Takes the address at which the browser ended, where it could not reach this machine. Throws `McpError` for one that is
   * not of this login.
   */
  answer(address: string): void
}

export interface McpConnector {
  /** Starts or contacts the server and reads its tools. Throws `McpError`: `login` when a person has to log in first. */
  connect(transport: McpTransport, signal: AbortSignal): Promise<McpConnection>
  /**
   * Begins a login. `remember` is false for one that ends with this process. Throws `McpError`, also for a server that is a
   * process, and the abort reason.
   */
  login(transport: McpTransport, remember: boolean, signal: AbortSignal): Promise<McpLogin>
  /** The login that requests to the server carry. Null for none. */
  account(transport: McpTransport): Promise<McpAccount | null>
  /** Forgets the login, and tells the one who gave it. */
  logOut(transport: McpTransport): Promise<void>
}

/** `login`: a person has to log in, or what they did to log in did not work. */
export type McpErrorCode = 'not_started' | 'timed_out' | 'closed' | 'refused' | 'login'

export const McpError = defineError<McpErrorCode>('McpError')
export type McpError = InstanceType<typeof McpError>
