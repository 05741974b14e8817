import {
  type McpCallHooks,
  type McpConnection,
  type McpConnector,
  McpError,
  type McpPrompt,
  type McpResource,
  type McpResult,
  type McpTool,
} from '#core/ports/mcp-client.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { McpServerState } from '#shared/contract/views/extensions.ts'
import { holdConnection } from './hold-connection.ts'
import { hashOf, type McpDefinition } from './mcp-definitions.ts'

/** The connection to one trusted server. Opened when needed, and again when the server died, with a growing delay. */
export interface McpLink extends AsyncDisposable {
  readonly definition: McpDefinition
  /** Never throws. `state` tells the result. */
  connect(): Promise<void>
  /** Connects at once, and anew, because the login is another one. Never throws. */
  connectAnew(): Promise<void>
  state(): McpServerState
  tools(): readonly McpTool[]
  prompts(): readonly McpPrompt[]
  resources(): readonly McpResource[]
  /** Why it did not start, or what of its tools is not offered, in sentences for a person. */
  problems(): readonly string[]
  /** What of its tools is not offered, in sentences for a person. */
  leftOut(): readonly string[]
  errorOutput(): string
  /** Refuses when the server, perhaps after a new connection, lists another version of the tool. */
  call(tool: McpTool, args: JsonObject, signal: AbortSignal, hooks?: McpCallHooks): Promise<McpResult>
  /** What a prompt says. Throws `McpError`. */
  promptText: McpConnection['promptText']
  /** What a resource holds. Throws `McpError`. */
  readResource: McpConnection['readResource']
}

export function createMcpLink(definition: McpDefinition, connector: McpConnector): McpLink {
  const held = holdConnection(connector, definition.transport)
  return {
    definition,
    connect: held.connect,
    connectAnew: held.connectAnew,
    state: held.state,
    tools: () => held.connection()?.tools ?? noTools,
    prompts: () => held.connection()?.prompts ?? [],
    resources: () => held.connection()?.resources ?? [],
    problems() {
      const state = held.state()
      const failed = state.kind === 'failed' ? [`It did not start, so its tools are missing: ${state.reason}`] : []
      const waiting = state.kind === 'login' && !held.connection() ? [`Its tools are missing. ${state.reason}`] : []
      return [...failed, ...waiting, ...(held.connection()?.problems ?? [])]
    },
    leftOut: () => held.connection()?.problems ?? [],
    errorOutput: held.errorOutput,
    promptText: (prompt, args, signal) => held.use((connection) => connection.promptText(prompt, args, signal)),
    readResource: (uri, signal) => held.use((connection) => connection.readResource(uri, signal)),
    call: (tool, args, signal, hooks) =>
      held.use((connection) => {
        const listed = connection.tools.findLast(({ name }) => name === tool.name)
        if (!listed || hashOf(listed) !== hashOf(tool)) throw new McpError('refused', changedSince(tool.name))
        return connection.call(tool.name, args, signal, hooks)
      }),
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  }
}

/** The same list each time: who compares lists sees no change. */
const noTools: readonly McpTool[] = []

function changedSince(name: string): string {
  return `The server's tool ${JSON.stringify(name)} is another one now or is gone. Call it again: a person decides about the new version.`
}
